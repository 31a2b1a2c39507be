"""Values as people and models write them: (passage, right answer, near-by wrong answer) by kind.

All self-written. The right answer is warned of nothing, the wrong one of its value.
"""

DECIMAL_COMMAS = [
    ("Der Messwert beträgt 3,457.", "Der Messwert ist 3,4570.", "Der Messwert ist 3,547."),
    ("Das Rohr ist 12,5 mm dick.", "Das Rohr ist 12,500 mm dick.", "Das Rohr ist 13,500 mm dick."),
    ("La tasa es de 0,375.", "La tasa es de 0.375.", "La tasa es de 0.345."),
    ("Benzin kostet 1,789 € pro Liter.", "Benzin kostet rund 1,79 € pro Liter.",
     "Benzin kostet rund 1,69 € pro Liter."),
    ("Il lotto pesa 1.250 kg.", "Il lotto pesa 1250 kg.", "Il lotto pesa 1350 kg."),
    ("Le fil mesure 4,5 m.", "Le fil mesure 4,500 m.", "Le fil mesure 4,900 m."),
    ("O índice é 7,25.", "O índice é 7.25.", "O índice é 7.75."),
    ("The probe reads 0.125 V.", "The probe reads 0,125 V.", "The probe reads 0,115 V."),
    ("De prijs is 1.149,50 euro.", "De prijs is € 1149,50.", "De prijs is € 1194,50."),
    ("La pression est de 2,75 bar.", "La pression est de 2.75 bar.",
     "La pression est de 2.95 bar."),
]  # fmt: skip

SEPARATORS = [
    ("La cuota es de 1.826,50 €.", "La cuota es de 1 826,50 €.", "La cuota es de 1 862,50 €."),
    ("Der Preis beträgt 1'826.50 CHF.", "Der Preis beträgt 1826,50 CHF.",
     "Der Preis beträgt 1926,50 CHF."),
    ("Le loyer est de 2\u202f340,75 €.", "Le loyer est de 2.340,75 €.",
     "Le loyer est de 2.430,75 €."),
    ("It has 12\u2009500 seats.", "It has 12,500 seats.", "It has 12,900 seats."),
    ("Die Kaution beträgt 3’250,00 CHF.", "Die Kaution beträgt 3250 CHF.",
     "Die Kaution beträgt 3350 CHF."),
    ("The fee is ₹3,45,000.", "The fee is ₹345,000.", "The fee is ₹354,000."),
    ("Il costo è di 15.400 €.", "Il costo è di 15 400 €.", "Il costo è di 14 500 €."),
    ("Es sind 4\u00a0812 km.", "Es sind 4.812 km.", "Es sind 4.218 km."),
    ("The loan is ₹12,34,567.", "The loan is ₹1,234,567.", "The loan is ₹1,243,567."),
    ("Le devis est de 1 234 567,89 €.", "Le devis est de 1.234.567,89 €.",
     "Le devis est de 1.243.567,89 €."),
]  # fmt: skip

SCRIPTS = [
    ("शुल्क ₹७५० प्रति माह है।", "शुल्क ₹750 प्रति माह है।", "शुल्क ₹७९० प्रति माह है।"),
    ("قیمت ۲۵۰٬۰۰۰ تومان است.", "قیمت 250,000 تومان است.", "قیمت ۲۷۰٬۰۰۰ تومان است."),
    ("السعر ١٢٥٫٥٠ درهم.", "السعر 125.50 درهم.", "السعر ١٢٧٫٥٠ درهم."),
    ("料金は１２，５００円です。", "料金は12,500円です。", "料金は１３，５００円です。"),
    ("ค่าบริการ ๓๙๙ ฿ ต่อเดือน", "ค่าบริการ 399 ฿ ต่อเดือน", "ค่าบริการ ๓๕๙ ฿ ต่อเดือน"),
    ("মূল্য ৳৪৫০ মাসে।", "মূল্য ৳450 মাসে।", "মূল্য ৳৪৯০ মাসে।"),
    ("The rate is ٤٥٪.", "The rate is 45%.", "The rate is ٤٩٪."),
    ("किमत ₹१२,५०० आहे.", "किमत ₹12,500 आहे.", "किमत ₹१३,५०० आहे."),
    ("ตั๋วราคา ๑,๒๕๐ ฿", "ตั๋วราคา 1,250 ฿", "ตั๋วราคา ๑,๓๕๐ ฿"),
    ("دما ۳۷٫۵ °C است.", "دما 37.5 °C است.", "دما ۳۹٫۵ °C است."),
]  # fmt: skip

MAGNITUDES = [
    ("Der Umsatz betrug 3,4 Mrd. €.", "Der Umsatz betrug 3.400 Mio. €.",
     "Der Umsatz betrug 3,4 Mio. €."),
    ("El presupuesto es de 12 millones de euros.", "El presupuesto es de 12.000.000 €.",
     "El presupuesto es de 14.000.000 €."),
    ("Le budget est de 2 milliards d'euros.", "Le budget est de 2 Md€.", "Le budget est de 2 M€."),
    ("O lucro é de 5 milhões de reais.", "O lucro é de R$ 5.000.000.",
     "O lucro é de R$ 5.500.000."),
    ("The plot costs ₹2.5 crore.", "The plot costs ₹2,50,00,000.", "The plot costs ₹2.8 crore."),
    ("The grant is 3 lakh rupees.", "The grant is ₹300,000.", "The grant is ₹330,000."),
    ("年間予算は3億5000万円です。", "年間予算は350,000,000円です。", "年間予算は3億8000万円です。"),
    ("报价是25万元。", "报价是250,000元。", "报价是27万元。"),
    ("예산은 5만 원입니다.", "예산은 50,000원입니다.", "예산은 5만 5천 원입니다."),
    ("Der Fonds hat 40 Tsd. Euro.", "Der Fonds hat 40.000 €.", "Der Fonds hat 44.000 €."),
    ("La deuda es de 2 mil millones de euros.", "La deuda es de 2.000.000.000 €.",
     "La deuda es de 2.200.000.000 €."),
    ("Il fatturato è di 7 milioni di euro.", "Il fatturato è di 7 M€.",
     "Il fatturato è di 7 Mrd €."),
    ("De omzet is 6 miljoen euro.", "De omzet is 6 mln euro.", "De omzet is 6 miljard euro."),
]  # fmt: skip

# In English sentences: elsewhere a day that no passage has is no more than an information.
DATES = [
    ("The form is due on 12. Juni 2027.", "The form is due on 12.06.2027.",
     "The form is due on 21. Juni 2027."),
    ("The form is due on 14 février 2027.", "The form is due on 14/02/2027.",
     "The form is due on 4 février 2027."),
    ("The form is due on 8 de octubre de 2027.", "The form is due on 8 October 2027.",
     "The form is due on 18 de octubre de 2027."),
    ("The form is due on 9 maggio 2027.", "The form is due on 2027-05-09.",
     "The form is due on 9 marzo 2027."),
    ("The form is due on 2027年11月30日.", "The form is due on 2027/11/30.",
     "The form is due on 2027年11月13日."),
    ("The form is due on 2 April 2027.", "The form is due on 2027年4月2日.",
     "The form is due on 2027年4月12日."),
    ("The form is due on 2027년 7월 1일.", "The form is due on 1 July 2027.",
     "The form is due on 2027년 7월 11일."),
    ("The form is due on 1º de março de 2027.", "The form is due on 01/03/2027.",
     "The form is due on 11 de março de 2027."),
    ("The form is due on 3 maart 2027.", "The form is due on 3-3-2027.",
     "The form is due on 13 maart 2027."),
    ("The form is due on 6 maja 2027.", "The form is due on 6 May 2027.",
     "The form is due on 16 maja 2027."),
]  # fmt: skip

TIMES = [
    ("The desk opens at 7h45.", "The desk opens at 7:45.", "The desk opens at 7:15."),
    ("Fermeture à 18 h 15.", "Fermeture à 18h15.", "Fermeture à 18h45."),
    ("Geöffnet ab 9.30 Uhr.", "Geöffnet ab 9:30 Uhr.", "Geöffnet ab 9:50 Uhr."),
    ("Le guichet ferme à 21h.", "Le guichet ferme à 21:00.", "Le guichet ferme à 20:30."),
    ("The shop closes at 20 Uhr.", "The shop closes at 8 pm.", "The shop closes at 9 pm."),
    ("The café opens at 午後3時.", "The café opens at 15:00.", "The café opens at 14:30."),
    ("It begins at 15点30分 sharp.", "It begins at 15:30 sharp.", "It begins at 15:10 sharp."),
    ("회의는 오후 3시 30분입니다.", "회의는 15:30입니다.", "회의는 15:10입니다."),
    ("A loja abre às 14h.", "A loja abre às 14:00.", "A loja abre às 14:45."),
    ("The film lasts 2 h 15.", "The film lasts 2 hours 15 minutes.",
     "The film lasts 2 hours 25 minutes."),
]  # fmt: skip

UNITS = [
    ("Throughput rose by 42% for the billing team.",
     "Throughput rose by 42 percent for the billing team.",
     "The billing team has 42 engineers, and throughput rose."),
    ("Die Frist beträgt 60 Minuten.", "Die Frist beträgt eine Stunde, also 60 Minuten.",
     "Die Frist beträgt 60 Stunden."),
    ("La comisión es del 15 por ciento.", "La comisión es del 15 %.", "La comisión es del 18 %."),
    ("The Batch tier allows 40 requests per hour.", "The Batch tier allows 40 requests an hour.",
     "The Batch tier allows 40 requests per minute."),
    ("La caution est de 30 € par mois.", "La caution est de 30 €/mois.",
     "La caution est de 30 € par an."),
    ("Der Satz stieg um 3 Prozentpunkte.", "Der Satz stieg um 3 percentage points.",
     "Der Satz stieg um 3 %."),
    ("Il corso dura 3 settimane.", "Il corso dura 21 giorni.", "Il corso dura 3 mesi."),
    ("La espera es de 45 minutos.", "La espera es de 45 min.", "La espera es de 54 min."),
    ("The median response took 80 ms.", "The median response took 0.08 s.",
     "The median response took 80 s."),
    ("Die Kündigungsfrist beträgt 14 Tage.", "Die Kündigungsfrist beträgt zwei Wochen, 14 Tage.",
     "Die Kündigungsfrist beträgt 14 Wochen."),
]  # fmt: skip

IDENTIFIERS = [
    ("Appeals are governed by Article 33.", "Article 33 governs appeals.",
     "Article 41 governs appeals."),
    ("Damages follow from § 280 BGB.", "Damages follow from Section 280 BGB.",
     "Damages follow from § 326 BGB."),
    ("Take tram line 7 to the museum.", "Take line 7 to the museum.",
     "Take line 61 to the museum."),
    ("Choose option 4 for billing.", "Billing is option 4.", "Billing is option 9."),
    ("Prices are in Table 3 of the annex.", "Table 3 of the annex has prices.",
     "Table 8 of the annex has prices."),
    ("A closed account returns error 403.", "A closed account gives error 403.",
     "A closed account gives error 502."),
    ("The app needs iOS 15 or later.", "The app needs iOS 15.", "The app needs iOS 18."),
    ("While it restarts, the service returns HTTP 503.", "While it restarts, you get HTTP 503.",
     "While it restarts, you get HTTP 404."),
    ("The fix ships in version 4.1.", "The fix ships with version 4.1.",
     "The fix ships with version 5.2."),
    ("The API answers 409 Conflict for a duplicate.",
     "For a duplicate the API answers 409 Conflict.",
     "For a duplicate the API answers 422 with a body."),
    ("Nach Art. 12 ist das erlaubt.", "Nach Artikel 12 ist das erlaubt.",
     "Nach Artikel 55 ist das erlaubt."),
    ("The clinic is in room 12.", "Go to room 12 for the clinic.", "Go to room 31 for the clinic."),
]  # fmt: skip

TWO_READINGS = [
    ("The hotline handles 240 calls a day.", "The hotline answers 240 calls a day.",
     "The hotline answers 310 calls a day."),
    ("The pump moves 1.875 m³.", "The pump moves 1,875 litres.", "The pump moves 1,785 litres."),
    ("The gap is 2.125 mm.", "The gap is 2,125 mm.", "The gap is 2,225 mm."),
    ("The reservoir holds 2,125 litres.", "The reservoir holds 2.125 litres.",
     "The reservoir holds 2.225 litres."),
    ("La ciudad tiene 5 mil habitantes.", "La ciudad tiene 5.000 habitantes.",
     "La ciudad tiene 5.500 habitantes."),
    ("El premio es de 5.125 €.", "El premio es de 5 125 €.", "El premio es de 5 215 €."),
    ("The trip takes 2h30.", "The trip takes 150 minutes.", "The trip takes 160 minutes."),
    ("Das Gerät wiegt 1,345 kg.", "Das Gerät wiegt 1345 g.", "Das Gerät wiegt 1354 g."),
    ("La section mesure 3,250 mm.", "La section mesure 3.25 mm.", "La section mesure 3.75 mm."),
    ("The hall seats 1.450 people.", "The hall seats 1,450 people.",
     "The hall seats 1,540 people."),
]  # fmt: skip

KINDS = {
    "decimal commas": DECIMAL_COMMAS, "separators": SEPARATORS, "scripts": SCRIPTS,
    "magnitudes": MAGNITUDES, "dates": DATES, "times": TIMES, "units": UNITS,
    "identifiers": IDENTIFIERS, "two readings": TWO_READINGS,
}  # fmt: skip
