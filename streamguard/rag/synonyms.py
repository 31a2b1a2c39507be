"""Everyday synonyms in the vocabulary of organisations."""

from __future__ import annotations

from streamguard.text.words import stem

# Stands among a text's words if it names an amount of money, as a price does.
MONEY = "~money"
LEAVE = "~leave"  # where it speaks of time off, whose words are none that are searched by

# Groups, parted by commas; a word may be in several. Written from general English, for offices,
# shops, schools and services, with what the development handbooks lacked; a thesaurus of all
# senses answers what nobody asked: with the synonyms of WordNet's first senses beside these the
# development handbooks' questions are told apart worse, and with those alone far worse.
_GROUPS = """
    vacation holiday leave ~leave, ill sick unwell illness sickness absence absent disease, pay
    salary wage earn income paid, cost price fee charge rate expensive spend ~money, guarantee
    warranty, refund reimburse reimbursement repay back, boss head manager director chief leader
    run lead charge chair owner own, start begin launch open found founded, end finish close
    expire stop, buy purchase order, sell sale, send ship shipping deliver delivery dispatch
    post postage, return back, phone telephone call ring mobile, mail email e-mail, car vehicle
    drive driver, lorry truck, van vehicle, bicycle bike cycle, home remote house, child kid
    toddler young baby, father paternity parent, mother maternity parent, film movie dvd video,
    wifi wi-fi wireless wlan internet, eat food meal snack canteen restaurant, lunch dinner
    breakfast meal, drink alcohol wine beer alcoholic, borrow lend loan, rent hire lease, fine
    penalty overdue late, identity id identification passport, sign register join enrol
    membership, cancel cancellation, marry marriage wedding, fire smoke, ear hearing, eye
    goggles glasses, swap trade exchange switch, quit resign leave notice, bonus supplement
    allowance premium reward extra, training course learning education lesson, pension
    retirement retire, customer client buyer, doctor physician medical, clinic practice surgery
    medical clinical, hurt injury wound accident prick injure, print printing copy, deploy
    release, overtime extra top, jewellery earring necklace ring, tooth teeth dental, pull
    extract extraction remove, weekend saturday sunday, night evening, employee staff worker,
    discount reduction percent off, custom bespoke made-to-measure, wear cloth clothes clothing
    uniform dress, file record document, reply answer respond, magazine journal, check-up
    examination inspection, check inspect examine test, repair service maintain maintenance fix
    mend, collect fetch empty, year annual, bag luggage suitcase baggage, bed linen sheet, wet
    moisture damp humid, home-office home, available reachable, unused over, meet meeting
    assembly, money cash, bring carry, fill refuel fuel petrol diesel, store keep storage,
    forget lost lose, ban forbid forbidden prohibit allow, permit permission approval allow,
    rule regulation policy, transport carry move, bus shuttle coach, damage broken defect
    faulty, arrive arrival check-in, depart departure check-out, truck vehicle, sleep overnight
    night, big bigger biggest size large larger largest, height tall high, teach teacher lesson,
    choose choice select, ask request apply application, explain explanation, decide decision,
    complain complaint, plan tariff package, address location where, website site online web,
    password login code, vote elect election, recruit hire friend refer referral, trial
    probation, sickness injury medical health, doctor note certificate, gp doctor physician,
    maternity birth pregnant pregnancy mother newborn adoption, paternity birth partner father,
    birth born newborn baby, son child pupil kid, daughter child pupil kid, boy child pupil,
    girl child pupil, student pupil learner, mum mother parent, dad father parent, family
    relative parent dependent dependant, wife spouse partner husband, bereavement death die
    funeral compassionate, dismiss dismissal sack fire terminate termination, redundant
    redundancy layoff, resign resignation quit terminate, contract agreement, wage hourly rate
    minimum, payday salary wage paid payroll, payslip payroll salary wage, payment pay paid, tip
    gratuity, raise increase rise, promotion promote career, appraisal review performance
    feedback, mentor buddy supervisor, supervisor manager foreman lead, director president
    executive head, chief executive president, responsible charge manage lead, founder found
    founded start set, owner own founder, budget allowance amount limit maximum, limit maximum
    most cap upper, minimum least lowest, deadline due date closing latest before, expire expiry
    valid validity, valid expire last, duration last run length, last stay hold, postpone
    reschedule move rearrange, cancel withdraw revoke, late delay delayed overdue, early before
    advance ahead, advance ahead before notice, notify inform tell report notice, report tell
    inform contact, contact reach call phone email, emergency urgent, ambulance emergency,
    evacuate evacuation leave assembly, extinguisher fire, accident incident injury crash,
    injury injured hurt wound, alarm siren, burglar intruder alarm security, key fob badge card,
    badge card pass, lock locked secure, photo photograph picture image, record recording log,
    delete erase destroy overwrite, data information record, privacy data protection, computer
    laptop pc device, laptop computer notebook, smartphone mobile phone, cellphone mobile phone,
    software program application app, backup back-up copy, virus malware phishing, suspicious
    phishing scam, printer print, helpdesk support it service, support help service, install
    installation fit set mount, helmet hat protective, protective safety, boots shoes footwear,
    shoe footwear boot, clothing clothes shirt trousers, tattoo piercing, smoke smoking
    cigarette vape tobacco, drunk alcohol, drug medicine medication, medicine medication tablet,
    vaccinate vaccination vaccine jab, allergy allergic allergen, vegetarian vegan meat, diet
    dietary vegetarian vegan, coffee tea drink, kitchen cook cooking, breakfast morning meal,
    toilet restroom bathroom washroom wc, shower wash bathroom, clean cleaning wash hygiene,
    rubbish waste trash garbage litter bin, recycle recycling waste, lift elevator, stairs
    staircase step, wheelchair disabled accessible access ramp, disabled disability accessible,
    building premises house, hall room, room space, hire rent let letting rental book, book
    reserve booking reservation, reserve book hold, capacity hold seat fit, seat seated sit,
    attend attendance, absent absence missing miss, attendee participant guest, invite
    invitation, party celebration event, event function conference, speaker talk lecture, tour
    visit guided, group party, ticket admission entry entrance, entry admission entrance enter,
    admission fee ticket, member membership join subscription, subscribe subscription, renew
    renewal extend extension, extend extension longer renew, free charge complimentary gratis,
    deposit down payment advance, instalment installment monthly, loan finance credit borrow,
    insurance insure insured cover policy, include included contain, invoice bill, receipt
    proof, expense cost claim reimburse, claim reimbursement expense, mileage kilometre
    kilometer mile, petrol gas fuel, hotel accommodation overnight room, flight fly plane air,
    train rail railway, airport flight, taxi cab, trip travel journey excursion, park parking,
    garage parking workshop, licence license permit, crash collision accident hit, speeding
    speed fine, tyre tire wheel, trailer vehicle, pallet load, parcel package shipment, shipment
    delivery consignment, courier carrier delivery, shipping freight postage carriage, abroad
    foreign international overseas, country abroad, exchange swap return, faulty defective
    broken damaged, broken damaged damage repair, complain unhappy dissatisfied, apologise
    apology sorry, customer visitor guest, supplier vendor, competitor rival, advertise
    advertising marketing, journalist press media reporter, newspaper press media, interview
    press media, logo brand, colour color, social facebook instagram twitter media, stock
    inventory, warehouse store storage depot, factory plant works, machine equipment, tool
    equipment, inspection check test, measure measurement, temperature degree hot cold heat,
    cold temperature frost, warm heat temperature heating, weather rain wind storm, rain wet,
    snow ice frost winter, summer june july august, winter december january february, spring
    march april may, autumn fall september october november, christmas december holiday, easter
    holiday, noon midday, lunchtime lunch noon, morning am, afternoon pm, weekday monday friday,
    hour open opening time, close shut closing, shift rota roster schedule, schedule timetable
    rota plan, overtime hour extra, remote home telework, flexible flexitime, break pause rest
    lunch, onboarding joining induction first, induction joining starter, newcomer starter
    joiner new, applicant candidate application, vacancy job position, job position role, cv
    resume, reference referee, exam examination test, grade mark, homework lesson, term
    semester, class lesson course, course training class, certificate certification
    qualification, qualification certificate degree, study degree university tuition, language
    speak, translate translation, volunteer volunteering helper, charity donation donate, donate
    donation gift give, gift present donation, lost missing found, left forgotten lost, police
    crime, theft steal stolen burglary, harass harassment bullying, bully bullying harassment,
    discriminate discrimination equality, confidential secret privacy, whistleblow
    whistleblowing, union representative, vote ballot, law legal solicitor lawyer, sue legal,
    animal pet dog cat horse, plant flower, garden outdoor, noise noisy loud quiet, neighbour
    neighbor, tenant resident, landlord owner, mould damp, leak water pipe, electricity power,
    heating boiler heat, battery charge, charger charging, age old year, young under minor,
    minor child under, senior elderly pensioner over, heavy weight kg, weigh weight kg, long
    length, wide width, deep depth, fast speed mph, far distance mile, often frequency every,
    percentage percent, twice double two, half fifty, amount number, copy duplicate, sign
    signature signed, form paper, submit hand send, approve approval permission authorise
    authorisation, permission consent approval, consent permission agree, allowed permitted may,
    mandatory compulsory required must, optional voluntary, required need must, exempt
    exception, replacement replace spare, upgrade improve, prevent avoid, drop break damage,
    spill leak, dispose disposal throw waste, return bring, buy sell shop, shop store retail,
    voucher gift card, discount concession reduced, cheap discount reduced, loyalty bonus
    member, goal target, strategy goal plan, mission goal purpose value, history founded story,
    headquarters office head, office location site branch, town city, map direction, direction
    route, font typeface, gather assemble meet assembly, assemble gather meet assembly, afford
    pay, okay fine allow welcome, visible see, toothache pain emergency, pain hurt ache,
    reporter journalist press, talk speak, speak talk, gym fitness sport, couch sofa, sofa
    couch, apartment flat, flat apartment, mom mother parent, industry sector, refuse decline
    reject, employee people, people employee person, paycheck salary wage pay payday payroll,
    401k pension retirement, insurance plan coverage health medical, health medical insurance,
    conference course training education event, education training course learning, vaccination
    shot vaccine jab, injection shot vaccine, trainee apprentice intern, intern internship
    trainee, hire employ recruit, gasoline gas fuel petrol, parking garage lot, veterinarian vet
    doctor, prescription medicine medication refill, operation surgery, surgery operation
    procedure, appointment visit booking slot, guest visitor customer, sneakers trainers shoes,
    jacket coat, pants trousers, product item goods merchandise, item product goods, error
    mistake fault, mistake error fault, problem issue trouble fault, issue problem trouble, help
    support assist, assist help support, commission bonus, travel trip journey, disinfect clean
    sterilise, protect guard secure, load cargo freight, freight cargo load, freeze frozen
    frost, wound cut bite, bite scratch wound, closed holiday shut, money cash budget allowance
    fund, fund budget money, overnight board sleep, flu cold fever ill sick unwell, fever ill
    sick, headache ill sick, beginner new newcomer starter novice, cancel end terminate stop,
    pause freeze suspend, membership pass subscription, pass membership ticket, freeze pause,
    espresso coffee, teenager youth minor under, alone unaccompanied adult, annual yearly year,
    yearly annual year, monthly month, weekly week, daily day, deal handle responsible, unwell
    ill sick, rental hire rent
"""

SYNONYMS: dict[str, set[str]] = {}
for _entry in _GROUPS.split(","):
    _group = {stem(word) for word in _entry.split()}
    for _word in _group:
        SYNONYMS.setdefault(_word, set()).update(_group - {_word})

# Verbs of speech with their particle, which stands up to three words behind, and what documents
# write instead. From general English.
_PHRASAL = """
    pick up: collect fetch lift; drop off: deliver bring; hang on: keep; hold on: keep; go off:
    sound; call in: ring report; sign up: register enrol join; sign in: register; fill in: complete
    form; fill out: complete form; look after: care responsible mind; take part: participate join;
    get rid: dispose; throw away: dispose waste; bring back: return; give back: return; send back:
    return; take back: return; pay back: refund reimburse repay; get back: refund return; hand in:
    submit return; hand over: give; turn up: arrive come attend; show up: arrive attend absent; put
    off: postpone; call off: cancel; find out: learn ask; give up: stop quit cancel; set up: install
    start; carry on: continue; help out: volunteer duty; run out: expire end; try out: trial test;
    hook up: connect; plug in: connect charge; log in: login password; top up: add pay; drop out:
    leave cancel; pull out: cancel leave; back out: cancel; take off: leave remove; live in:
    resident; stay over: overnight; sleep over: overnight; go over: exceed; end up: finish; break
    down: breakdown repair; write down: record; tidy up: clean; clean up: clean; lock up: close key;
    open up: open; warm up: heat; speak to: contact; talk to: contact; get in: contact; deal with:
    responsible; pay for: charge cost; care for: look; ask for: request; apply for: application;
    take out: borrow remove; lend out: loan; let out: rent; rent out: rent hire; let go: dismiss;
    lay off: dismiss; kick out: expel exclude; throw out: expel dispose; leave behind: lost; hang
    around: stay; meet up: meet; split up: divide; send off: post; hand out: give; put down: write;
    put on: wear show; dress up: dress; hold up: delay
"""
# (stem of the verb, particle) -> stems.
PHRASAL_VERBS: dict[tuple[str, str], set[str]] = {}
for _entry in _PHRASAL.split(";"):
    _phrase, _, _meant = _entry.partition(":")
    _verb, _particle = _phrase.split()
    PHRASAL_VERBS[stem(_verb), _particle] = {stem(word) for word in _meant.split()}
