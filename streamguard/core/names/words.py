"""Words that are capitalised without being names."""

from __future__ import annotations

from streamguard.text.words import STOP_WORDS
from streamguard.values.value import listed

# Words that begin sentences and are no part of a name there.
STARTERS = STOP_WORDS | listed(
    """since throughout behind beyond except inside outside additional finally first firstly second
    secondly third thirdly last lastly next nevertheless nonetheless otherwise overall similarly
    consequently accordingly generally typically usually often sometimes rarely specifically
    particularly especially notably importantly interestingly unfortunately fortunately
    basically essentially ultimately currently recently originally initially previously today
    none one others two three four five six seven eight nine ten note according based given
    depending due compared let answer question"""
)
# Titles before a person's name; a passage may have another one, or none.
TITLES = listed(
    """mr mrs ms miss mx dr doctor prof professor sir dame madam judge justice captain sergeant
    lieutenant colonel major general admiral commander officer president chancellor minister
    senator governor mayor councillor ambassador king queen prince princess father sister brother
    reverend bishop rabbi nurse coach chef director chairman chairwoman chairperson secretary
    treasurer dean headmaster headteacher inspector detective"""
)
# Words for the passages and for numbered parts: "Passage 2", "Step 3".
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
# Verbs that open an instruction: the name behind one begins there.
INSTRUCTIONS = listed(
    """add ask book bring browse buy call change check choose click close compare complete configure
    connect contact copy create delete disable download drag edit email enable enter export fill
    find follow format get give go grab head hit import insert install join keep launch leave let
    log look make meet move navigate open order pay pick place play press print read register
    remove rename replace request reset restart return review run save scan scroll search see select
    send set share sign start stop submit switch take tap tell try turn type unplug update upgrade
    upload use verify view visit wait watch write dear hello hi thanks welcome yes"""
)
# Everyday abbreviations and their words, beside initials in a row, which are read from the
# passages.
_SHORT = """
    ac: air_conditioning air_conditioner air_conditioned alternating_current; api: endpoint
    endpoints interface interfaces; atm: cash_machine cash_machines cashpoint; bbq: barbecue
    barbecues grill; ceo: chief_executive managing_director; cfo: chief_finance finance_chief
    finance_director; cto: chief_technical technical_director technology_chief; db: database
    databases data_base; dob: date_of_birth birth_date birthday; ev: electric_vehicle
    electric_vehicles electric_car electric_cars; gp: general_practitioner family_doctor; hq:
    headquarters head_office; hr: human_resources personnel; os: operating_system
    operating_systems; pr: public_relations pull_request pull_requests; pto: paid_time paid_leave;
    qa: quality_assurance; sms: text_message text_messages; ui: user_interface; vat:
    value_added_tax; vp: vice_president; 2fa: two_factor two_step second_factor; mfa: multi_factor
    multifactor
"""
ABBREVIATIONS = {
    short.strip(): tuple(tuple(words.split("_")) for words in long.split())
    for short, long in (row.split(":") for row in _SHORT.split(";"))
}
# An organisation is the same with and without one of these behind its name.
LEGAL_FORMS = listed(
    """corp corporation inc incorporated ltd limited co company llc llp plc gmbh ag sa bv nv group
    holding holdings"""
)
