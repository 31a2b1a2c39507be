"""Self-written ranges and second dates of one owner: chunk, answer, value seen, nearest value."""

SHOP = "The museum shop is open to guests from 9 am to 5 pm, Wednesday to Sunday."
BOAT = "The boat runs daily from June to September."
HUT = "The hut is open 12 June to 3 October."
BAR = "The bar serves food from 6 pm to 1 am, Thursday to Monday."
LONG = "From 3 May 1990 to 2004 Ana Lund was the director."
LAND = "Between 3 May 1990 and 7 June 2004 Ana Lund was the director."
BERG = "In 1998 Ida Berg took over the orchestra; she left it in 2011 and Paul Stein followed."
HOLT = "Rolf Holt, a baker, opened the mill in 1962 and was mayor until 1975, when Eva Dahl won."
BRIDGE = "The bridge opened in 1931 and was rebuilt in 1968 after the flood."

# One end of a range says nothing against the other, nor against what lies between the two.
IN_RANGES = [
    (SHOP, "The museum shop opens Wednesday through Sunday."),
    (SHOP, "The shop opens Wednesday through Sunday, from 9:00 to 17:00."),
    (SHOP, "Between Wednesday and Sunday the museum shop is open."),
    (SHOP, "The museum shop is open on Thursdays."),
    (SHOP, "You can visit the museum shop on Friday."),
    (SHOP, "The museum shop is open at 11 am."),
    (SHOP, "The museum shop opens on Wednesday and closes after Sunday."),
    (BOAT, "The boat runs in July."),
    (BOAT, "The boat runs June through September."),
    (BOAT, "The boat runs on 14 August."),
    (HUT, "The hut is open from 12 June till 3 October."),
    (HUT, "The hut is open on 20 July."),
    (BAR, "The bar serves food on Saturday and Sunday."),
    (BAR, "The bar serves food at 11 pm."),
    (LAND, "Ana Lund was the director in 1995."),
    (LONG, "Ana Lund was the director in July."),
    ("The lift was repaired in August.", "The lift was repaired between July and September."),
]
# Nor does another date of the same owner.
SECOND_DATES = [
    (BERG, "The orchestra was led by Ida Berg until 2011."),
    (BERG, "Ida Berg was its head until 2011."),
    (BERG, "Ida Berg led the orchestra from 1998 to 2011."),
    (HOLT, "Rolf Holt governed the town until 1975."),
    (HOLT, "Rolf Holt was in office until 1975."),
    (BRIDGE, "The bridge was restored in 1968."),
    (BRIDGE, "The bridge has stood since 1931 and was restored in 1968."),
]
OUTSIDE = [
    (SHOP, "The museum shop opens Tuesday through Sunday.", "Tuesday", "Wednesday"),
    (SHOP, "The museum shop is open Wednesday to Saturday.", "Saturday", "Sunday"),
    (SHOP, "The museum shop is open on Mondays.", "Mondays", "Wednesday"),
    (SHOP, "The museum shop is open from 8:00 to 17:00.", "8:00", "9 am"),
    (SHOP, "The museum shop is open from 9 am to 6 pm.", "6 pm", "5 pm"),
    (SHOP, "The museum shop is open at 7 pm.", "7 pm", "9 am"),
    (BOAT, "The boat runs from April to September.", "April", "June"),
    (BOAT, "The boat runs in December.", "December", "June"),
    (BOAT, "The boat runs on 14 October.", "14 October", "June"),
    (HUT, "The hut is open from 12 June till 13 October.", "13 October", "3 October"),
    (HUT, "The hut is open on 20 November.", "20 November", "12 June"),
    (BAR, "The bar serves food on Tuesday.", "Tuesday", "Thursday"),
    (BAR, "The bar serves food at 3 pm.", "3 pm", "6 pm"),
    (LAND, "Ana Lund was the director in 2011.", "2011", "3 May 1990"),
]
