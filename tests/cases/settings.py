"""Ports of links, and settings in braces on one line: (passage, answer). All self-written."""

SERVICES = """services:
  - name: mail
    url: https://mail.internal:6101/send
    retries: 4
  - name: maps
    url: http://maps.internal:6102
    retries: 7
"""
PAGES = "The shop runs at https://shop.acme.org:8443/de, the status page at http://localhost:9100."
LIMITS = """tiers:
  - name: small
    quota:
      soft: {jobs: 20, memory: 256Mi}
      hard: {jobs: 30, memory: 512Mi}
  - name: large
    quota:
      soft: {jobs: 80, memory: 2Gi}
      hard: {jobs: 120, memory: 4Gi}
"""

RIGHT = [
    (SERVICES, "The mail service listens on port 6101."),
    (SERVICES, "The maps service is on port 6102, with seven retries."),
    (SERVICES, "Maps are at http://maps.internal:6102."),
    (PAGES, "The shop listens on port 8443."),
    (PAGES, "The status page is served on port 9100."),
    (LIMITS, "The small tier has a hard memory quota of 512Mi."),
    (LIMITS, "The large tier has a soft memory quota of 2Gi."),
]
WRONG = [
    (SERVICES, "The mail service listens on port 6102."),
    (SERVICES, "The maps service is on port 6101."),
    (SERVICES, "The maps service is on port 6103."),
    (PAGES, "The shop listens on port 8434."),
    (PAGES, "The status page is served on port 9001."),
    (LIMITS, "The small tier has a hard memory quota of 256Mi."),
    (LIMITS, "The large tier has a soft memory quota of 4Gi."),
]
