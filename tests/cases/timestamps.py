"""Days and times of timestamps, and durations between two of them: (passage, answer).

All self-written. The right answers are told as people tell them, the wrong ones are near-by.
"""

LOG = """2025-06-03T04:12:09.301Z INFO  [mailer] Queue opened (workers=6)
2025-06-03T04:47:52.118Z ERROR [mailer] Queue stalled, 41 mails waiting
2025-06-03T04:49:30.870Z INFO  [mailer] Queue drained"""
OFFSET = "Backup began 2025-02-01T23:05:00+01:00 and ended 2025-02-01T23:58:14+01:00."
SHORT = "Sensor 4 reported at 2024-12-24T18:30Z."
COMMA = "2025-08-19T11:02:44,517 WARN disk is 91 % full"
FIELD = '{"created": "2025-01-15T08:20:31Z", "state": "open"}'
TRAIN = "The ferry leaves at 9:20 and lands at 11:05."

RIGHT = [
    (LOG, "The queue stalled at 04:47:52."),
    (LOG, "The queue stalled at 04:47:52 UTC."),
    (LOG, "The queue stalled at 4:47 a.m."),
    (LOG, "The queue opened on 3 June 2025."),
    (LOG, "It stalled at 04:47:52 and drained a little under two minutes later, at 04:49:30."),
    (LOG, "It stalled at 04:47:52 and drained over a minute later, at 04:49:30."),
    (OFFSET, "The backup ended at 23:58 on 1 February 2025."),
    (OFFSET, "The backup began at 23:05."),
    (SHORT, "Sensor 4 reported at 6:30 p.m. UTC."),
    (COMMA, "At 11:02:44 on 19 August 2025 the disk was 91 % full."),
    (FIELD, "It was created on 15 January 2025 at 08:20."),
    (TRAIN, "It leaves at 9:20 and lands just under two hours later, at 11:05."),
    (TRAIN, "It leaves at 9:20 and lands more than an hour later, at 11:05."),
]
WRONG = [
    (LOG, "The queue stalled at 04:47:25."),
    (LOG, "The queue stalled at 04:48."),
    (LOG, "The queue opened on 4 June 2025."),
    (OFFSET, "The backup ended at 23:58:41."),
    (SHORT, "Sensor 4 reported at 18:30 CET."),
    (SHORT, "Sensor 4 reported at 6:30 a.m."),
    (COMMA, "At 11:02:47 the disk was 91 % full."),
    (FIELD, "It was created on 16 January 2025."),
]
# Durations that lie further off are said to follow from nothing.
APART = [
    (LOG, "It stalled at 04:47:52 and drained a little under three minutes later, at 04:49:30."),
    (LOG, "It stalled at 04:47:52 and drained over two minutes later, at 04:49:30."),
    (TRAIN, "It leaves at 9:20 and lands just under three hours later, at 11:05."),
    (TRAIN, "It leaves at 9:20 and lands more than two hours later, at 11:05."),
]
