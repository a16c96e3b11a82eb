/**
 * References as people write them, each with the part it means. Written without looking at the
 * resolver. `undefined`: no document of this corpus has that name or part, so a guess is an error.
 */
export const CORPUS: Readonly<Record<string, string>> = {
  "standards/isa-315.md": `# ISA 315 (Revised 2019): Identifying and Assessing the Risks of Material Misstatement

## Requirements

315.13 The auditor performs risk assessment procedures.

315.19 The auditor understands the entity.

315.32 The auditor determines which risks are significant.

## Application material

A12. Procedures include inquiries of management.

A13. Analytical procedures show inconsistencies.
`,
  "standards/isa-330.md": `# ISA 330: The Auditor's Responses to Assessed Risks

330.5 The auditor designs overall responses.

330.18 The auditor performs substantive procedures for each material class of transactions.

330.21 Procedures respond to a significant risk.
`,
  "standards/code-of-ethics.md": `# Code of Ethics for Professional Accountants (CEPA)

## Section 120 Conceptual framework

120.6 Threats are evaluated.

## Section 290 Independence

290.4 Independence is of mind and in appearance.
`,
  "rules/fee-rules.md": `# Fee Rules (FR)

## 4 Payment

4.1 Fees are due on arrival.

4.2 Late fees are doubled.

## Annex B Forms

B lists the forms.
`,
  "rules/pilot-act.md": `# Pilot Act

## Article 7 Duty of care

A pilot acts with care.

## Article 9 Licences

A licence lasts five years.
`,
  "rules/notices.md": `# Notices to Masters

1.1 Notices are numbered.

1.2 A copy is kept on board.

4.1 The channel is 12.
`,
  "guides/desk-guide.md":
    "# Desk Guide\n\n1.2 Something else.\n\n4.1 Something else.\n\nA12. Not it.\n",
}

const ISA315 =
  "ISA 315 (Revised 2019): Identifying and Assessing the Risks of Material Misstatement"
const ISA330 = "ISA 330: The Auditor's Responses to Assessed Risks"
const CODE = "Code of Ethics for Professional Accountants (CEPA)"

export const LABELLED: readonly (readonly [string, ...string[]])[] = [
  ["See paragraph 32 of ISA 315.", `${ISA315} § 315.32`],
  ["Significant risks are in ISA 315 (Revised 2019), paragraph 32.", `${ISA315} § 315.32`],
  ["Tests of details follow ISA 330 para. 18.", `${ISA330} § 330.18`],
  ["Compare ISA 330, paras 18 and 21.", `${ISA330} § 330.18`, `${ISA330} § 330.21`],
  ["Compare ISA 330, paras. 18 and 21.", `${ISA330} § 330.18`, `${ISA330} § 330.21`],
  ["Responses: ISA 330, par. 5.", `${ISA330} § 330.5`],
  ["Inquiries are described in ISA 315.A12.", `${ISA315} § A12`],
  ["Inquiries are described in paragraph A12 of ISA 315.", `${ISA315} § A12`],
  ["Analytics (ISA 315, para. A13) come next.", `${ISA315} § A13`],
  ["See The Auditor's Responses to Assessed Risks, paragraph 5.", `${ISA330} § 330.5`],
  ["Both ISA 315 § 315.13 and ISA 330 § 330.5 apply.", `${ISA315} § 315.13`, `${ISA330} § 330.5`],
  ["It is in ISA 330 (paragraph 21).", `${ISA330} § 330.21`],
  ["Paragraph 18(a) of ISA 330 lists the balances.", `${ISA330} § 330.18`],
  ["In ISA 330 paragraph 18(a) they are listed.", `${ISA330} § 330.18`],
  ["ISA 315.13 and ISA 330.18 belong together.", `${ISA315} § 315.13`, `${ISA330} § 330.18`],
  ["Follow ISA 330.18–21 in each case.", `${ISA330} § 330.18`, `${ISA330} § 330.21`],
  ["ISA315.19 says the same.", `${ISA315} § 315.19`],
  ["As required by ISA 315.19, we visited the plant.", `${ISA315} § 315.19`],
  ["ISA 315 (Revised 2019).32 is the source.", `${ISA315} § 315.32`],
  ["The entity is understood (ISA 315.19).", `${ISA315} § 315.19`],
  ["Threats: see Code of Ethics for Professional Accountants § 120.6.", `${CODE} § 120.6`],
  [
    "Threats: see section 120.6 of the Code of Ethics for Professional Accountants.",
    `${CODE} § 120.6`,
  ],
  ["Independence is in CEPA 290.4.", `${CODE} § 290.4`],
  ["Independence is in CEPA § 290.4.", `${CODE} § 290.4`],
  ["CEPA, section 290, is about independence.", `${CODE} § 290.4`],
  ["Fees are due under Fee Rules 4.1.", "Fee Rules (FR) § 4.1"],
  ["Fees are due under rule 4.1 of the Fee Rules.", "Fee Rules (FR) § 4.1"],
  ["Fees are due (Fee Rules, cl. 4.1).", "Fee Rules (FR) § 4.1"],
  ["Fees are due under FR §4.1.", "Fee Rules (FR) § 4.1"],
  ["Fees are due under clause 4.1 FR.", "Fee Rules (FR) § 4.1"],
  ["§§ 4.1 and 4.2 of the Fee Rules apply.", "Fee Rules (FR) § 4.1", "Fee Rules (FR) § 4.2"],
  ["Fee Rules §§ 4.1, 4.2 apply.", "Fee Rules (FR) § 4.1", "Fee Rules (FR) § 4.2"],
  ["The forms are in Annex B to the Fee Rules.", "Fee Rules (FR), Annex B"],
  ["The forms are in Annex B of the Fee Rules.", "Fee Rules (FR), Annex B"],
  ["The Fee Rules (§ 4.2) double the fee.", "Fee Rules (FR) § 4.2"],
  ["By § 4.2 Fee Rules the fee is doubled.", "Fee Rules (FR) § 4.2"],
  ["Care is owed under Article 7 of the Pilot Act.", "Pilot Act, Article 7"],
  ["Care is owed under Art. 7 Pilot Act.", "Pilot Act, Article 7"],
  ["Care is owed under Pilot Act, art. 7.", "Pilot Act, Article 7"],
  ["Articles 7 and 9 of the Pilot Act.", "Pilot Act, Article 7", "Pilot Act, Article 9"],
  ["Keep a copy: Notices to Masters § 1.2.", "Notices to Masters § 1.2"],
  ["Keep a copy as Notices to Masters, section 1.2, says.", "Notices to Masters § 1.2"],
  ["Section 4.1 of Notices to Masters names the channel.", "Notices to Masters § 4.1"],
  ["The channel: Notices to Masters, ¶ 4.1.", "Notices to Masters § 4.1"],
]

export const NOWHERE: readonly string[] = [
  "See ISA 240 paragraph 18.",
  "See ISA 240, para. 5.",
  "See ISA 240.A12.",
  "See ISA 315.A99.",
  "See paragraph 99 of ISA 330.",
  "See Fee Order 4.1.",
  "See Art. 7 of the Harbour Act.",
  "See Pilot Act, art. 8.",
  "See Notices to Pilots, para. 1.2.",
  "See FR 7, cl. 4.1.",
  "See rule 4.1 of the Berth Rules.",
  "See ISA 330.99.",
  "Notices to Masters and Agents § 1.2 is older.",
]

/** Texts that only look like references; none may lead anywhere. */
export const NO_REFERENCES: readonly string[] = [
  "Use HTTP 1.1 and TLS 1.3.",
  "The A12 road leads to the port.",
  "Node 26.10 and MP3.1 are not documents.",
  "The rule of 4 people is old.",
]
