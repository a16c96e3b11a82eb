/**
 * Labelled questions. `decisive` are the citations of all paragraphs without which the answer is
 * wrong or incomplete. `kind`: `direct` uses the words of the document, `other-words` does not,
 * `short-form` uses an abbreviation or avoids one, `guide` is asked in the words of a guide whose
 * reference leads to the rule. `after` is the question of the run before a follow-up.
 */
export type LabelledQuestion = {
  readonly id: string
  readonly kind: "direct" | "other-words" | "short-form" | "guide"
  readonly question: string
  readonly decisive: readonly string[]
  readonly after: string
}

type Row = readonly [LabelledQuestion["kind"], string, readonly string[]]

const HARBOUR: readonly Row[] = [
  [
    "direct",
    "On which grounds may a Booking be re-priced after Arrival?",
    ["Re-pricing Order § 3.2"],
  ],
  [
    "direct",
    "Within how many hours must the Re-pricing Notice be given to the Master?",
    ["Re-pricing Order § 3.4"],
  ],
  ["direct", "When does Arrival take place?", ["Harbour Handbook § 1.4"]],
  ["direct", "What does a tug cost?", ["Tariff § 5.2"]],
  ["direct", "Who examines complaints?", ["Complaints Procedure § 3.1"]],
  ["direct", "What does the second Amendment of a Booking cost?", ["Tariff § 5.1"]],
  ["direct", "How long is a Firm Quote binding?", ["Re-pricing Order § 1.1"]],
  ["direct", "Which vessels are exempt from pilotage?", ["Exemptions § 3.2"]],
  ["direct", "When are port dues paid?", ["Tariff § 6.1"]],
  ["direct", "What must the first notice of coming give?", ["Harbour Handbook § 3.4"]],
  [
    "other-words",
    "How much money is returned if a ship withdraws a day before she is expected?",
    ["Booking Rules § 3.1"],
  ],
  [
    "other-words",
    "May the port hold a ship back while the captain contests a higher bill?",
    ["Re-pricing Order § 5.2"],
  ],
  [
    "other-words",
    "Does the captain have to put a name under the message about the new price?",
    ["Re-pricing Order § 5.1"],
  ],
  [
    "other-words",
    "What happens to the price if the vessel is shorter than stated?",
    ["Tariff § 3.3"],
  ],
  ["other-words", "How soon is overpaid money refunded?", ["Re-pricing Order § 4.2"]],
  [
    "other-words",
    "Is an email sent at midnight effective immediately?",
    ["Notices to Masters § 1.3"],
  ],
  [
    "other-words",
    "Can another ship of the same company use the reservation?",
    ["Booking Rules § 2.4"],
  ],
  [
    "other-words",
    "A sick sailor delayed the departure: is the extra time billed?",
    ["Exemptions § 3.4"],
  ],
  [
    "other-words",
    "How strong must the gale be before two towing boats are compulsory?",
    ["Tariff § 5.2"],
  ],
  [
    "other-words",
    "Who bears the expense of the certificate if the depth was declared correctly?",
    ["Tariff § 3.4"],
  ],
  [
    "other-words",
    "Until when can somebody appeal against a changed price?",
    ["Complaints Procedure § 2.2"],
  ],
  [
    "other-words",
    "Is there a penalty when the captain reports too late that the ship is coming?",
    ["Tariff § 5.3"],
  ],
  [
    "other-words",
    "What if the mooring is occupied when the ship comes in?",
    ["Arrival Procedure § 3.2"],
  ],
  [
    "short-form",
    "What is form RN-2 for, and since when is it the only valid one?",
    ["Re-pricing Order § 3.5", "Notices to Masters § 4.2"],
  ],
  [
    "short-form",
    "Which paper counts as a measurement, and what is its form called?",
    ["Tariff § 3.4"],
  ],
  [
    "guide",
    "A Master refuses to sign a Re-pricing Notice at night. Who writes the hour on the copy?",
    ["Notices to Masters § 1.2"],
  ],
  [
    "guide",
    "The Master calls at night that the vessel cannot leave: when should she have told it, and what does the longer stay cost?",
    ["Harbour Handbook § 5.1", "Harbour Handbook § 5.2"],
  ],
  [
    "guide",
    "For what may the port change the price when the vessel is already in, according to the rules behind the agent's guide?",
    ["Re-pricing Order § 3.2"],
  ],
  ["guide", "Up to six hours late in leaving: which rate is paid?", ["Tariff § 4.2"]],
  [
    "guide",
    "Is a change of berth that the Harbour Master ordered an Amendment?",
    ["Booking Rules § 5.4"],
  ],
]

const NORTHGATE: readonly Row[] = [
  ["direct", "How many characters must a password have?", ["Access Standard (AS) § 1.3"]],
  [
    "direct",
    "How long are recordings of privileged sessions kept?",
    ["Access Standard (AS) § 3.3"],
  ],
  [
    "direct",
    "When is a restore tested for class A systems?",
    ["Backup and Recovery Standard (BRS) § 3.1"],
  ],
  ["direct", "Who may lower the severity of an incident?", ["Incident Procedure § 2.2"]],
  ["direct", "When is a system frozen after failed changes?", ["Change Procedure § 5.2"]],
  ["direct", "Which data are always Restricted?", ["Data Handling Policy § 1.2"]],
  ["direct", "When is the loading dock open?", ["Facility Rules § 4.1"]],
  [
    "direct",
    "How much credit does a customer receive for low availability?",
    ["Service Terms § 2.1"],
  ],
  [
    "other-words",
    "How soon must somebody's login be switched off when they quit the company?",
    ["Access Standard (AS) § 4.1"],
  ],
  [
    "other-words",
    "What should an employee do who misplaced the security token?",
    ["Access Standard (AS) § 2.3"],
  ],
  [
    "other-words",
    "Which safeguard do we have against extortion software that scrambles files?",
    ["Backup and Recovery Standard (BRS) § 2.2"],
  ],
  [
    "other-words",
    "May I give an interview to a newspaper about the outage?",
    ["Incident Procedure § 4.3"],
  ],
  [
    "other-words",
    "Can developers work with genuine client records while trying out software?",
    ["Data Handling Policy § 2.3"],
  ],
  [
    "other-words",
    "Am I allowed to put secret files on a USB drive?",
    ["Data Handling Policy § 2.2"],
  ],
  [
    "other-words",
    "What do we do with an old hard drive that is thrown away?",
    ["Data Handling Policy § 5.3"],
  ],
  [
    "other-words",
    "For how long can we run without electricity from the grid?",
    ["Facility Rules § 1.2"],
  ],
  [
    "other-words",
    "The room gets too warm: which machines are switched off first?",
    ["Facility Rules § 2.1"],
  ],
  ["other-words", "How fast must the bill be paid?", ["Service Terms § 3.1"]],
  [
    "other-words",
    "Can Northgate charge more next year, and can we leave then?",
    ["Service Terms § 3.2"],
  ],
  [
    "other-words",
    "How long after cancelling can we still download our files?",
    ["Service Terms § 4.2"],
  ],
  [
    "other-words",
    "What is the maximum compensation Northgate can be sued for?",
    ["Service Terms § 5.1"],
  ],
  [
    "other-words",
    "A technician wants to stay in the server room by himself at midnight. Is that permitted?",
    ["Facility Rules § 5.1"],
  ],
  [
    "short-form",
    "What is the RTO of a class B system?",
    ["Backup and Recovery Standard (BRS) § 1.2"],
  ],
  [
    "short-form",
    "How much data may a class A system lose at most? Give the recovery point objective.",
    ["Backup and Recovery Standard (BRS) § 1.1"],
  ],
  ["short-form", "When does the Change Advisory Board meet?", ["Change Procedure § 1.2"]],
  ["short-form", "Where is MFA required?", ["Access Standard (AS) § 2.1"]],
  [
    "short-form",
    "By when must the Data Protection Officer be called, and by when is the authority told?",
    ["Incident Procedure § 3.3", "Data Handling Policy § 4.1"],
  ],
  [
    "guide",
    "On a bad night, may I repair without waiting for a meeting, and what paperwork follows?",
    ["Incident Procedure § 4.1", "Change Procedure § 4.1"],
  ],
  [
    "guide",
    "How long should I wait to ask for what Northgate pays when my system is not up?",
    ["Service Terms § 2.2"],
  ],
  ["guide", "Why do my admin rights vanish after a shift?", ["Access Standard (AS) § 3.1"]],
]

export const QUESTIONS = {
  harbour: labelled("h", HARBOUR),
  northgate: labelled("n", NORTHGATE),
}

/**
 * A follow-up comes after the question that shares most words with it: its answer has the same words
 * and other paragraphs, so a version that takes shared words for an answer misses the new ones.
 */
function labelled(letter: string, rows: readonly Row[]): readonly LabelledQuestion[] {
  return rows.map(([kind, question, decisive], at) => ({
    id: `${letter}${at + 1}`,
    kind,
    question,
    decisive,
    after: mostSimilar(at, rows),
  }))
}

function mostSimilar(at: number, rows: readonly Row[]): string {
  const words = wordsOf(rows[at]?.[1] ?? "")
  const shared = (other: Row) => wordsOf(other[1]).intersection(words).size
  const own = rows[at]?.[2] ?? []
  const others = rows.filter((it, index) => index !== at && !it[2].some((one) => own.includes(one)))
  return others.toSorted((a, b) => shared(b) - shared(a))[0]?.[1] ?? ""
}

function wordsOf(question: string): ReadonlySet<string> {
  return new Set(question.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
}

/** Written after all constants of the search were fixed, and searched once. All use other words. */
const HARBOUR_LATER: readonly Row[] = [
  [
    "other-words",
    "Which boats go out first through the harbour mouth?",
    ["Arrival Procedure § 2.1"],
  ],
  [
    "other-words",
    "Can a captain demand that the depth is checked again?",
    ["Arrival Procedure § 4.3"],
  ],
  [
    "other-words",
    "How big must a ship be before it has to reserve a place?",
    ["Harbour Handbook § 3.1"],
  ],
  ["other-words", "Who is allowed to look into the records about a ship?", ["Booking Rules § 6.1"]],
  ["other-words", "Do students on board make the call cheaper?", ["Exemptions § 3.1"]],
  ["other-words", "Is it free to seek refuge during bad weather?", ["Exemptions § 3.5"]],
  [
    "other-words",
    "When is an invoice final and nothing is refunded any more?",
    ["Harbour Handbook § 5.4"],
  ],
  [
    "other-words",
    "How quickly does the office reply when a place is wanted?",
    ["Booking Rules § 1.2"],
  ],
  [
    "other-words",
    "On which radio frequency are safety warnings broadcast?",
    ["Notices to Masters § 3.1"],
  ],
  ["other-words", "What evidence can refute the tower's journal?", ["Complaints Procedure § 3.2"]],
]

const NORTHGATE_LATER: readonly Row[] = [
  [
    "other-words",
    "How frequently must bosses review what their staff may open?",
    ["Access Standard (AS) § 4.3"],
  ],
  ["other-words", "Does a guest card let me through the gates?", ["Access Standard (AS) § 5.1"]],
  [
    "other-words",
    "How many years do we store yearly archives of bookkeeping?",
    ["Backup and Recovery Standard (BRS) § 4.1"],
  ],
  [
    "other-words",
    "What if the nightly job breaks twice?",
    ["Backup and Recovery Standard (BRS) § 5.2"],
  ],
  [
    "other-words",
    "Who is in charge before the manager picks up the phone?",
    ["Incident Procedure § 1.2"],
  ],
  ["other-words", "When do we meet to learn from a serious failure?", ["Incident Procedure § 5.1"]],
  ["other-words", "Is software deployed over Christmas?", ["Change Procedure § 3.2"]],
  [
    "other-words",
    "May medical information be mailed if it is ciphered?",
    ["Data Handling Policy § 2.1"],
  ],
  [
    "other-words",
    "How quickly do we reply to somebody who wants to see their own information?",
    ["Data Handling Policy § 3.2"],
  ],
  [
    "other-words",
    "Nobody fetched my parcel at the ramp: what happens to it?",
    ["Facility Rules § 4.2"],
  ],
]

export const LATER_QUESTIONS = {
  harbour: labelled("hl", HARBOUR_LATER),
  northgate: labelled("nl", NORTHGATE_LATER),
}

/**
 * The first 15 use the other name of a word that the corpus `lending` defines. Corpus and questions
 * were written after the code that finds synonyms, in forms that it reads.
 */
const LENDING: readonly Row[] = [
  ["short-form", "What does a new library card cost?", ["Lending Rules § 1.2"]],
  ["short-form", "When is a member suspended?", ["Lending Rules § 1.3"]],
  ["short-form", "How long is the borrowing time of serials?", ["Lending Rules § 2.1"]],
  ["short-form", "How many renewals do I get?", ["Lending Rules § 2.2"]],
  ["short-form", "For how many days is my reservation kept?", ["Lending Rules § 2.3"]],
  ["short-form", "How high is the late fee?", ["Lending Rules § 2.4"]],
  ["short-form", "What is the overdue charge per day?", ["Lending Rules § 2.4"]],
  ["short-form", "May I eat in a study booth?", ["Lending Rules § 3.1"]],
  ["short-form", "Can I photocopy an oversize volume?", ["Lending Rules § 3.2"]],
  ["short-form", "How quickly is an order form answered?", ["Lending Rules § 3.4"]],
  ["short-form", "Who decides about weeding?", ["Lending Rules § 4.2"]],
  ["short-form", "When does the repair workshop take in damage?", ["Lending Rules § 4.4"]],
  ["short-form", "When does the atrium close?", ["House Rules § 1.1"]],
  ["short-form", "How long are things from my locker kept?", ["House Rules § 1.4"]],
  ["short-form", "Is a room without conversation free of telephones?", ["House Rules § 1.3"]],
  ["direct", "Where are bicycles left?", ["House Rules § 1.5"]],
  ["direct", "What does an interlibrary request cost?", ["Lending Rules § 5.1"]],
  ["direct", "How many persons does the auditorium hold?", ["Lending Rules § 6.1"]],
  ["other-words", "Is there something for kids at the weekend?", ["Lending Rules § 6.2"]],
  ["other-words", "May I give the library my old books?", ["Lending Rules § 4.3"]],
]

export const DEFINED_QUESTIONS = labelled("l", LENDING)
