"""Self-written claims of who did something or has a role: chunk, answer, words seen, nearest."""

OUTAGE = (
    "At 09:12 a new routing table was rolled out by the network team. At 09:20 "
    "alarms rang. Greta Lind reverted it at 09:41. The review was skipped by the "
    "release manager."
)
GUIDE = (
    "Service guide: ledger. Owner: Blue Crew (chat #blue-crew). First contact: Anton "
    "Weil; deputy contact: Mara Stolz. Ask Green Crew for access to the archive."
)
COUNCIL = (
    "The audit council is chaired by Prof. Dr. Helga Brandt; deputy chair is Prof. "
    "Dr. Otto Stein. Minutes are kept by the secretary and signed by the chair."
)
LEASE = (
    "Repairs of the roof are paid by the landlord. The garden is kept by the tenant. "
    "Keys are handed over by the agent."
)
PANEL = "Sat 7 June\n- Moderator: Lea Park\n- Host: Tim Ode\n"
SONG = (
    "The song Harbour Light was written by Mona Reis. The film was shot by her brother Paul Reis."
)
PLAN = (
    "The budget was drafted by the treasurer and approved by the assembly. It was "
    "later approved by the auditors."
)
LINES = "Chair: Ruth Amsel\nDeputy chair: Ben Okoro\nTreasurer: Lin Yao\n"
CRANE = (
    "At noon the tall crane of the yard (its limit lowered from 9 to 5 tonnes) was moved by the "
    "night crew. Ida Mohn called the police."
)

# chunk, answer, words seen, nearest evidence
ANOTHER = [
    (CRANE, "The tall crane was moved by Ida Mohn.", "Ida Mohn", "night crew"),
    (OUTAGE, "The routing table was rolled out by Greta Lind.", "Greta Lind", "network team"),
    (OUTAGE, "The review was skipped by the network team.", "network team", "release manager"),
    (GUIDE, "The ledger service is owned by Green Crew.", "Green Crew", "Blue Crew"),
    (GUIDE, "The owner of ledger is Green Crew.", "Green Crew", "Blue Crew"),
    (
        GUIDE,
        "First contact is Mara Stolz and deputy contact is Anton Weil.",
        "Mara Stolz",
        "Anton Weil",
    ),
    (GUIDE, "Mara Stolz is the first contact.", "Mara Stolz", "Anton Weil"),
    (GUIDE, "The deputy contact is Anton Weil.", "Anton Weil", "Mara Stolz"),
    (
        COUNCIL,
        "The audit council is chaired by Prof. Dr. Otto Stein.",
        "Prof. Dr. Otto Stein",
        "Prof. Dr. Helga Brandt",
    ),
    (COUNCIL, "The minutes are kept by the chair.", "chair", "secretary and signed"),
    (LEASE, "Repairs of the roof are paid by the tenant.", "tenant", "landlord"),
    (LEASE, "The garden is kept by the landlord.", "landlord", "tenant"),
    (PANEL, "It is moderated by Tim Ode.", "Tim Ode", "Lea Park"),
    (PANEL, "The host is Lea Park.", "Lea Park", "Tim Ode"),
    (GUIDE, "Ledger's owner is Green Crew.", "Green Crew", "Blue Crew"),
    (PLAN, "The budget was drafted by the assembly.", "assembly", "treasurer and approved"),
    (LINES, "Ben Okoro is the chair.", "Ben Okoro", "Ruth Amsel"),
    (LINES, "The treasurer is Ruth Amsel.", "Ruth Amsel", "Lin Yao"),
    (LINES, "The deputy chair is Lin Yao.", "Lin Yao", "Ben Okoro"),
]
JUST_SO = [
    (CRANE, "The tall crane was moved by the night crew."),
    (CRANE, "The police car was moved by Ida Mohn."),
    (OUTAGE, "The routing table was rolled out by the network team."),
    (OUTAGE, "It was rolled out at 09:12 and reverted by Greta Lind."),
    (OUTAGE, "The review was skipped by the release manager."),
    (GUIDE, "The ledger service is owned by Blue Crew."),
    (GUIDE, "The owner of ledger is Blue Crew."),
    (GUIDE, "The owner is the Blue Crew."),
    (GUIDE, "First contact is Anton Weil and deputy contact is Mara Stolz."),
    (GUIDE, "Mara Stolz is the deputy contact."),
    (GUIDE, "The archive is owned by Green Crew."),
    (COUNCIL, "The council is chaired by Professor Brandt."),
    (COUNCIL, "The deputy chair is Otto Stein."),
    (COUNCIL, "The minutes are kept by the secretary."),
    (LEASE, "Roof repairs are paid by the landlord."),
    (LEASE, "The roof's repairs are paid by the owner of the house."),
    (PANEL, "It is moderated by Lea Park."),
    (PANEL, "The host is Tim Ode."),
    (OUTAGE, "The change was rolled out by engineers."),
    (COUNCIL, "The audit council is chaired by a professor."),
    (OUTAGE, "The archive was opened by Greta Lind."),
    (LEASE, "Keys are handed over by noon."),
    (COUNCIL, "The deputy chair of the audit council is Prof. Otto Stein."),
    (COUNCIL, "The chair is Helga Brandt."),
    (SONG, "The film was written by Paul Stone."),
    (SONG, "The tale Night Ferry was written by Paul Reis."),
    (PLAN, "The budget was approved by the auditors."),
    (PLAN, "The budget was approved by the treasurer's assembly."),
    (LINES, "The chair is Ruth Amsel."),
    (LINES, "Lin Yao is the treasurer, and Ben Okoro is the deputy chair."),
    (COUNCIL, "The audit council is not chaired by Otto Stein."),
    (OUTAGE, "The change was followed by two of the alarms."),
    (OUTAGE, "It was reverted by hand."),
    (OUTAGE, "The alarms were noticed by the head of the network team."),
    (OUTAGE, "Somebody stood by."),
    (COUNCIL, "The council is chaired by."),
    (COUNCIL, "The audit council is chaired by a historian."),
    (COUNCIL, "Its minutes are short, and the chair is Helga Brandt."),
    (LINES, "Ruth Amsel is the chair of all."),
    (LINES, "Ruth Amsel is the one."),
    (COUNCIL, "The secretary is the one who keeps minutes."),
    (GUIDE, "What counts is Mara Stolz and her team."),
    (OUTAGE, "It is by Greta Lind."),
]
