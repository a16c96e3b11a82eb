/**
 * Cases labelled by hand. All plain cases must match their label. The hard ones were written after
 * the rules and need more than words; for them only precision and recall are checked.
 */

type ContradictionCase = readonly [
  one: string,
  other: string,
  kind: "polarity" | "number" | "modality" | "none",
]

export const CONTRADICTION_CASES: readonly ContradictionCase[] = [
  [
    "A Booking may be re-priced after Arrival.",
    "A Booking may not be re-priced after Arrival.",
    "modality",
  ],
  ["The Master shall sign the Notice.", "The Master shall not sign the Notice.", "modality"],
  ["The Master must sign the Notice.", "The Master need not sign the Notice.", "modality"],
  [
    "A Shipping Agent is required to hold a licence.",
    "A Shipping Agent is not required to hold a licence.",
    "modality",
  ],
  [
    "Visitors are allowed to use the North Pontoon.",
    "Visitors are not allowed to use the North Pontoon.",
    "modality",
  ],
  [
    "Smoking is prohibited on the Fuel Jetty.",
    "Smoking is permitted on the Fuel Jetty.",
    "modality",
  ],
  [
    "The Harbour Office can extend the Berth Window.",
    "The Harbour Office cannot extend the Berth Window.",
    "modality",
  ],
  [
    "The Client must retry a failed request.",
    "The Client must not retry a failed request.",
    "modality",
  ],
  ["A late Notice cancels the Booking.", "A late Notice does not cancel the Booking.", "polarity"],
  ["The Firm Quote is binding.", "The Firm Quote is non-binding.", "polarity"],
  [
    "Port dues are never waived by the Harbour Office.",
    "Port dues are waived by the Harbour Office.",
    "polarity",
  ],
  [
    "The Harbour Office accepts a verbal Amendment.",
    "The Harbour Office refuses a verbal Amendment.",
    "polarity",
  ],
  ["The Parser keeps comments.", "The Parser doesn't keep comments.", "polarity"],
  [
    "Fresh water is included in the Tariff.",
    "Fresh water is excluded from the Tariff.",
    "polarity",
  ],
  [
    "The Re-pricing Notice must be given within 24 hours of the event.",
    "The Re-pricing Notice must be given within 48 hours of the event.",
    "number",
  ],
  ["The Firm Quote is binding for seven days.", "The Firm Quote is binding for 14 days.", "number"],
  [
    "The present Tariff is in force from 1 September 2026.",
    "The present Tariff is in force from 1 October 2026.",
    "number",
  ],
  [
    "An Amendment after Arrival costs EUR 90.",
    "An Amendment after Arrival costs EUR 60.",
    "number",
  ],
  ["The Cache holds at most 500 entries.", "The Cache holds at most 5,000 entries.", "number"],
  [
    "Interest on the Port Account is 4 per cent a year.",
    "Interest on the Port Account is 6 % a year.",
    "number",
  ],
  ["The Pilot may leave if ready.", "The Pilot may never leave.", "modality"],
  // Different case, condition or subject: both may be true.
  [
    "A Booking may be re-priced before Arrival.",
    "A Booking may not be re-priced after Arrival.",
    "none",
  ],
  [
    "A Booking may be re-priced after Arrival if the draught was declared wrongly.",
    "A Booking may not be re-priced after Arrival.",
    "none",
  ],
  [
    "The Master must wait if the signal is red.",
    "The Master need not wait if the signal is green.",
    "none",
  ],
  ["The Pilot may leave if ready.", "The Pilot may not leave.", "none"],
  ["A berth of Class A costs EUR 14.", "A berth of Class B costs EUR 22.", "none"],
  [
    "Vessels up to 50 metres pay Port Dues of EUR 180.",
    "Vessels up to 100 metres pay Port Dues of EUR 420.",
    "none",
  ],
  [
    "The Master must send the first Notice 24 hours before Arrival.",
    "The Master must send the second Notice 4 hours before Arrival.",
    "none",
  ],
  [
    "The Harbour Master may give another berth.",
    "The Harbour Master may not waive Port Dues.",
    "none",
  ],
  ["The Master need not sign the Notice.", "The Notice must be given to the Master.", "none"],
  [
    "The Harbour Office answers within two working days.",
    "The Harbour Office pays back within ten working days.",
    "none",
  ],
  ["The Firm Quote is binding for seven days.", "The Firm Quote is binding for 7 days.", "none"],
  ["The vessel may leave, but not without a Pilot.", "The vessel may leave with a Pilot.", "none"],
  ["The Cache is not only fast but small.", "The Cache is fast.", "none"],
  ["Arrival is the crossing of the line.", "Departure is not the crossing of the quay.", "none"],
  ["A Booking is confirmed in writing.", "Reports are not confirmed by telephone.", "none"],
  [
    "Der Kapitän darf nicht unterschreiben im Hafen von Tideline.",
    "Der Kapitän darf unterschreiben im Hafen von Tideline.",
    "none",
  ],
  // A question is not a statement.
  [
    "May a Booking be re-priced after Arrival?",
    "A Booking may not be re-priced after Arrival.",
    "none",
  ],
  ["Is the Firm Quote binding for seven days?", "The Firm Quote is binding for 14 days.", "none"],
  ["Does the late Notice not cancel the Booking?!", "The late Notice cancels the Booking.", "none"],
  ["Why must the Master sign the Notice?", "The Master need not sign the Notice.", "none"],
]

export const HARD_CONTRADICTION_CASES: readonly ContradictionCase[] = [
  [
    "Every Booking made in May is priced by the old Tariff.",
    "No Booking made in May is priced by the old Tariff.",
    "polarity",
  ],
  ["The Night Desk may waive a fee.", "The Night Desk never waives a fee.", "polarity"],
  [
    "Only the Harbour Board can waive Port Dues.",
    "The Harbour Office can waive Port Dues.",
    "polarity",
  ],
  [
    "Masters have 14 days to complain about a Re-pricing Notice.",
    "There are 30 days to complain about a Re-pricing Notice.",
    "number",
  ],
  [
    "The Pilot boards at the Breakwater Line.",
    "The Pilot boards at the Pilot Station.",
    "polarity",
  ],
  [
    "The Master has to report to the Signal Tower.",
    "The Master does not have to report to the Signal Tower.",
    "modality",
  ],
  ["It is forbidden for a Ferry to overtake.", "A Ferry may overtake.", "modality"],
  [
    "Vessels of the Liner Service are exempt from Pilotage.",
    "Vessels of the Liner Service are not exempt from Pilotage.",
    "polarity",
  ],
  ["The Berth Window has at least four hours.", "A Berth Window has at least six hours.", "number"],
  ["The Server listens on port 4242.", "The Server listens on port 8080.", "number"],
  [
    "A Re-pricing Notice after 24 hours has no effect.",
    "Even after 24 hours a Re-pricing Notice has effect.",
    "polarity",
  ],
  [
    "The Tariff of the Tariff Date applies to a Booking.",
    "The newest Tariff applies to a Booking.",
    "polarity",
  ],
  ["The Tariff names a fee for tugs.", "The Tariff names no fee for pilots.", "none"],
  ["Port Dues are paid before Arrival.", "Berth Dues are not paid before Arrival.", "none"],
  [
    "A second Re-pricing Notice has no effect for the same ground.",
    "A Re-pricing Notice has effect from the hour of the event.",
    "none",
  ],
  [
    "The Harbour Office may cancel a Booking if the berth cannot be used.",
    "The owner may not cancel a Booking once the vessel has arrived.",
    "none",
  ],
  [
    "Vessels in the Liner Service are exempt from the notice fee.",
    "Vessels in the Liner Service are not exempt from Port Dues.",
    "none",
  ],
  ["The first Amendment is free of charge.", "Each further Amendment costs EUR 60.", "none"],
  [
    "The Measuring Officer measures within six hours.",
    "The Measuring Officer may be called within twelve hours.",
    "none",
  ],
  [
    "The Harbour Office must prove the ground.",
    "The Harbour Office need not prove the hour.",
    "none",
  ],
  [
    "In 2025 the Complaints Officer decided 41 complaints.",
    "In 2024 the Complaints Officer decided 36 complaints.",
    "none",
  ],
  [
    "The Signal Tower shows two green lights for inbound vessels.",
    "The Signal Tower shows three red lights for outbound vessels.",
    "none",
  ],
]
