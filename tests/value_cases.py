"""Values of further kinds: (passage, right answer, near-by wrong answer) by kind.

All self-written. The right answer is warned of nothing, the wrong one of its value.
"""

ADDRESSES = [
    ("Send claims to claims@northbay.example.", "Claims go to claims@northbay.example.",
     "Claims go to claim@northbay.example."),
    ("Mail Press@Oakfield.org for a pass.", "For a pass write to press@oakfield.org.",
     "For a pass write to press@oakfields.org."),
    ("The form is at https://northbay.example/upload.", "The form is at northbay.example/upload.",
     "The form is at https://northbay.example/uploads."),
    ("Book at http://www.tern-ferries.com/booking/.", "You can book at tern-ferries.com/booking.",
     "You can book at tern-ferry.com/booking."),
    ("The manual is on docs.pinecrest.io/en/setup.", "The manual is on docs.pinecrest.io.",
     "The manual is on docs.pinecrest.io/en/install."),
    ("Settings are read from /etc/mosaic/mosaic.conf.",
     "The settings are read from /etc/mosaic/mosaic.conf.",
     "The settings are read from /etc/mosaic.conf."),
    ("Logs are written to /var/log/heron/access.log.",
     "The file access.log in /var/log/heron holds the logs.",
     "Logs are written to /var/log/heron/error.log."),
    ("Open C:\\Tools\\lathe\\lathe.ini and save it.", "The file is C:\\Tools\\lathe\\lathe.ini.",
     "The file is C:\\Tools\\lathe\\latte.ini."),
    ("The handler lives in src/server/handler.py.", "Look into src/server/handler.py.",
     "Look into src/server/handlers.py."),
    ("Call GET /v2/orders/status to poll.", "Poll with GET /v2/orders/status.",
     "Poll with GET /v1/orders/status."),
    ("Das Formular liegt unter www.amt-nord.de/antrag.",
     "Das Formular steht auf https://amt-nord.de/antrag.",
     "Das Formular steht auf https://amt-sued.de/antrag."),
]  # fmt: skip

KEYS = [
    ("Pay to DE89 3704 0044 0532 0130 00.", "Pay to DE89370400440532013000.",
     "Pay to DE89 3704 0044 0532 0130 01."),
    ("IBAN: GB29NWBK60161331926819", "The IBAN is GB29 NWBK 6016 1331 9268 19.",
     "The IBAN is GB29 NWBK 6016 1331 9286 19."),
    ("The account is FR14 2004 1010 0505 0001 3M02 606.",
     "The account is FR1420041010050500013M02606.",
     "The account is FR1420041010050500013M02660."),
    ("Das Konto ist CH93 0076 2011 6238 5295 7.", "Das Konto ist CH93-0076-2011-6238-5295-7.",
     "Das Konto ist CH93 0076 2011 6238 5295 8."),
    ("Ring 020 7946 0018 after six.", "After six ring +44 20 7946 0018.",
     "After six ring 020 7946 0081."),
    ("The desk is on (555) 010-4477.", "Call the desk on 555-010-4477.",
     "Call the desk on 555-010-4747."),
    ("The digest is 9f86d081884c7d659a2feaa0c55ad015.",
     "Its digest is 9F86D081884C7D659A2FEAA0C55AD015.",
     "Its digest is 9f86d081884c7d659a2feaa0c55ad051."),
    ("The fix is in 3.12.4.", "Version 3.12.4 has the fix.", "Version 3.12.5 has the fix."),
    ("Pull registry tag v2.8.0-rc.1.", "The tag is 2.8.0-rc.1.", "The tag is 2.8.0-rc.2."),
    ("Commit 4e1f9ab fixed it.", "It was fixed in 4e1f9ab.", "It was fixed in 4e1f9ac."),
]  # fmt: skip

VALUE_KINDS = {"addresses": ADDRESSES, "keys": KEYS}
