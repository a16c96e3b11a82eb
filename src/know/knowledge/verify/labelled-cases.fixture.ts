const P1 =
  "The Re-pricing Notice must be given to the Master within 24 hours of the event that is its ground. A notice that is given later has no effect, and the old price stands."
const P2 =
  "A measured draught is used instead of the Declared Draught only if it is more than 0.3 metres deeper."
const P3 =
  "A complaint about a Re-pricing Notice must be made within 14 days after the notice was given to the Shipping Agent."
const P4 =
  "Arrival means the moment at which the vessel crosses the Breakwater Line inbound. Notice 14 of 2 June 2026 says that the log of the Signal Tower decides."

export const CITED = [
  { label: "P1", id: "a.1", text: `Re-pricing Order § 3.4\n\n${P1}` },
  { label: "P2", id: "a.2", text: `Tariff § 3.1\n\n${P2}` },
  { label: "P3", id: "a.3", text: `Complaints Procedure § 2.2\n\n${P3}` },
  { label: "P4", id: "a.4", text: `Harbour Handbook § 1.4\n\n${P4}` },
] as const

export const CITATION_CASES: readonly (readonly [sentence: string, good: readonly boolean[]])[] = [
  ["The notice must be given to the Master within 24 hours of the event [P1].", [true]],
  ["A Re-pricing Notice given later has no effect and the old price stands [P1].", [true]],
  ["If the notice comes too late, the old price stands [P1].", [true]],
  ["A measured draught counts only when it is more than 0.3 m deeper than declared [P2].", [true]],
  ["Complaints about such a notice must be made within fourteen days [P3].", [true]],
  ["Arrival is the moment when the vessel crosses the Breakwater Line [P4].", [true]],
  ["The log of the Signal Tower decides, as Notice 14 of 2 June 2026 says [P4].", [true]],
  [
    "The notice must be given within 24 hours [P1], and complaints made within 14 days [P3].",
    [true, true],
  ],
  ["The notice is given to the Master [P1][P3].", [true, true]],
  ["A draught within 0.3 metres has no consequence [p2].", [true]],
  ["The notice must be given to the Master within 48 hours of the event [P1].", [false]],
  ["A measured draught is used only if it is more than 0.5 metres deeper [P2].", [false]],
  ["Tugs are ordered by the Harbour Master in strong winds [P2].", [false]],
  ["Fresh water is charged by the tonne at every quay [P3].", [false]],
  ["The vessel crosses the Breakwater Line inbound [P9].", [false]],
  ["Complaints must be made within 30 days after the notice was given [P3].", [false]],
  ["Arrival is the crossing of the Breakwater Line by the vessel [P4, P7].", [true, false]],
  ["Perishable cargo has priority over other cargo at night [P1, P4].", [false, false]],
  ["Die Mitteilung muss dem Kapitän rechtzeitig übergeben werden [P1].", [true]],
  ["通知は二十四時間以内に船長に渡されなければならない [P8]。", [false]],
]

export const ENTITY_CASES: readonly (readonly [sentence: string, missing: readonly string[]])[] = [
  ["The Master receives the Re-pricing Notice within 24 hours.", []],
  ["The Master receives it within twenty-four hours.", []],
  ["The tolerance is 0.30 m.", []],
  ["It is laid down in § 3.4 of the Re-pricing Order.", []],
  ["Section 2.2 gives fourteen days.", []],
  ["Notice 14 of June 2, 2026 still applies.", []],
  ["Since June 2026 the Signal Tower decides.", []],
  ["The vessels cross the Breakwater Line.", []],
  ["Nothing else is known.", []],
  ["The Shipping Agents were told 14 days before.", []],
  ["The Master receives it within 36 hours.", ["36 hours"]],
  ["It is decided by the Harbour Parliament.", ["Harbour Parliament"]],
  ["It is laid down in § 7.9.", ["§ 7.9"]],
  ["The rule dates from 3 May 2021.", ["3 May 2021"]],
  ["The fee is EUR 250, to be paid in 14 days.", ["EUR 250"]],
  ["Captain Ines Brandt signed for the Master.", ["Captain Ines Brandt"]],
  ["Form XQ-7 is used for the Re-pricing Notice.", ["Form XQ-7"]],
  ["The share is 12 per cent within 14 days.", ["12 per cent"]],
  ["Im Hafen gilt eine Frist von 99 Tagen nach Ankunft.", ["99"]],
]

export const RELATION_CASES: readonly (readonly [sentence: string, isPreserved: boolean])[] = [
  ["The Re-pricing Notice must be given to the Master [P1].", true],
  ["The Master is told within 24 hours [P1].", true],
  ["The Declared Draught is replaced beyond 0.3 metres [P2].", true],
  ["The Re-pricing Notice is given to the Shipping Agent [P3].", true],
  ["Arrival is the crossing of the Breakwater Line [P4].", true],
  ["The Signal Tower was named on 2 June 2026 [P4].", true],
  ["The Master is warned of 14 days by the Re-pricing Notice [P1] [P3].", true],
  ["The Signal Tower sends the Re-pricing Notice [P4].", false],
  ["The Declared Draught is given to the Shipping Agent [P2].", false],
  ["Arrival must follow within 24 hours [P4].", false],
  ["The Breakwater Line was moved by 0.3 metres [P4] [P2].", false],
  [
    "The Re-pricing Notice must not be given to the Master within 24 hours of the event [P1].",
    false,
  ],
]
