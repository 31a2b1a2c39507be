"""Words that are capitalised without being names."""

from __future__ import annotations

from streamguard.values.value import listed

# Words that begin sentences and are no part of a name there.
STARTERS = listed(
    """a an the this that these those here there it its he she they we you i his her their our your
    my and but or nor so yet for if when while where why what which who whom whose how whether
    because since although though unless until after before once as at by in on of to from with
    without within into onto over under about above below between among during through throughout
    across against along around behind beyond despite except inside outside per than toward towards
    upon via however therefore moreover furthermore additionally additional also finally first
    firstly second secondly third thirdly last lastly next then thus hence instead meanwhile
    nevertheless nonetheless otherwise overall similarly likewise consequently accordingly indeed
    still further generally typically usually often sometimes rarely specifically particularly
    especially notably importantly interestingly unfortunately fortunately basically essentially
    ultimately currently recently originally initially previously today yes no not all any both each
    either every few many more most much neither none one other others another same several some
    such two three four five six seven eight nine ten only just even please note according based
    given depending due compared regarding is are was were be been being am do does did has have had
    can could may might must shall should will would let answer question"""
)
# What a person is called by before a name; a passage may have another one, or none.
TITLES = listed(
    """mr mrs ms miss mx dr doctor prof professor sir dame madam judge justice captain sergeant
    lieutenant colonel major general admiral commander officer president chancellor minister
    senator governor mayor councillor ambassador king queen prince princess father sister brother
    reverend bishop rabbi nurse coach chef director chairman chairwoman chairperson secretary
    treasurer dean headmaster headteacher inspector detective"""
)
# What an answer calls the texts it was given, and numbers: "Passage 2", "Step 3".
REFERENCES = listed(
    """passage passages source sources context contexts document documents chunk chunks step steps
    item items point points part parts fact facts figure figures table tables question questions
    example option tip note reference answer"""
)
# Months, weekdays, eras, units of temperature and everyday abbreviations name nothing to check.
UNTELLING = listed(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday fahrenheit celsius am pm ad bc bce ce ok tv pc
    cd dvd ai id faq diy us usa uk eu un url pdf usb mph ph n/a na a.m p.m e.g i.e u.s u.k ii iii iv
    vs etc kwh mwh gwh mah khz mhz ghz"""
)
SMALL = listed("of the and for in on a an to de la le du von van der &")
# Verbs that open an instruction: what stands behind one is a name of its own.
INSTRUCTIONS = listed(
    """add ask book bring browse buy call change check choose click close compare complete configure
    connect contact copy create delete disable download drag edit email enable enter export fill
    find follow format get give go grab head hit import insert install join keep launch leave let
    log look make meet move navigate open order pay pick place play press print read register
    remove rename replace request reset restart return review run save scan scroll search see select
    send set share sign start stop submit switch take tap tell try turn type unplug update upgrade
    upload use verify view visit wait watch write dear hello hi thanks welcome yes"""
)
# What everyday abbreviations stand for beside initials in a row, which are read from the passages.
ABBREVIATIONS = {
    short: tuple(tuple(words.split()) for words in long.split("|"))
    for short, long in {
        "ac": "air conditioning|air conditioner|air conditioned|alternating current",
        "api": "endpoint|endpoints|interface|interfaces",
        "atm": "cash machine|cash machines|cashpoint",
        "bbq": "barbecue|barbecues|grill",
        "ceo": "chief executive|managing director",
        "cfo": "chief finance|finance chief|finance director",
        "cto": "chief technical|technical director|technology chief",
        "db": "database|databases|data base",
        "dob": "date of birth|birth date|birthday",
        "ev": "electric vehicle|electric vehicles|electric car|electric cars",
        "gp": "general practitioner|family doctor",
        "hq": "headquarters|head office",
        "hr": "human resources|personnel",
        "os": "operating system|operating systems",
        "pr": "public relations|pull request|pull requests",
        "pto": "paid time|paid leave",
        "qa": "quality assurance",
        "sms": "text message|text messages",
        "ui": "user interface",
        "vat": "value added tax",
        "vp": "vice president",
        "2fa": "two factor|two step|second factor",
        "mfa": "multi factor|multifactor",
    }.items()
}
# An organisation is the same with and without one of these behind its name.
LEGAL_FORMS = listed(
    """corp corporation inc incorporated ltd limited co company llc llp plc gmbh ag sa bv nv group
    holding holdings"""
)
