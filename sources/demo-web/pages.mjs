/** Made-up pages, written for this demo; no such place and no such site exists. */
export const PAGES = [
  {
    title: "Small harbours and the price that changes",
    url: "https://coast-notes.example/small-harbours/price-that-changes",
    text: "Most small harbours fix the price of a booking when the quote is accepted. A change after arrival is the exception: the harbour has to name a ground that its own rules list, and it has to say so to the master in writing. A survey of eleven harbour rule books found three common grounds: a draught that was declared too low, services that were added on the quay, and a stay that runs past the agreed window.",
  },
  {
    title: "Re-pricing after arrival: what masters report",
    url: "https://masters-forum.example/threads/re-pricing-after-arrival",
    text: "Masters who were re-priced after arrival tell much the same story. The measuring officer came on board, found more draught than was declared, and a notice followed within a day. Where no notice came within the time the rules give, the first price stood. Several advise keeping the copy of the measuring certificate, because the hour on it decides from when the time for a notice runs.",
  },
  {
    title: "How harbour tariffs are built",
    url: "https://quayside-primer.example/tariffs/how-they-are-built",
    text: "A tariff of a small harbour has three layers. Port dues depend on the size of the vessel, berth dues on the hours alongside, and service fees on what was ordered. Only the first layer depends on a measurement, which is why a disputed draught moves the whole bill while a disputed service moves one line.",
  },
  {
    title: "Berth amendments: before and after the breakwater",
    url: "https://quayside-primer.example/bookings/amendments",
    text: "Before a vessel crosses the breakwater, an amendment is a matter of room: if the berth is free, the booking is changed. After the crossing the same wish needs a signature, an answer within hours and usually a fee. Harbours treat the line as the border between planning and traffic.",
  },
  {
    title: "Notices to masters: form and time",
    url: "https://coast-notes.example/notices/form-and-time",
    text: "A notice that changes a price should name the booking, the ground, the old and the new amount and the way to complain. Notices by radio are not accepted by most harbours for anything that costs money. If the master is not on board, a notice left with the officer of the watch is commonly enough.",
  },
  {
    title: "Complaints about harbour dues, a short history",
    url: "https://port-history.example/complaints-about-dues",
    text: "Until the nineteen-sixties a complaint about dues went to the harbour master who had set them. Today small harbours keep a separate complaints officer. Roughly a third of the complaints about changed prices succeed, most of them because the harbour could not prove when its notice was given.",
  },
  {
    title: "Declared draught and measured draught",
    url: "https://hull-and-keel.example/draught/declared-and-measured",
    text: "The declared draught is what the owner says when the berth is booked; the measured draught is what the officer reads at the marks. Loading, water density and trim explain differences of a few centimetres, so rule books allow a tolerance. Beyond the tolerance the vessel belongs to the next class of the tariff.",
  },
  {
    title: "Why quotes have an end",
    url: "https://quayside-primer.example/quotes/why-quotes-end",
    text: "A firm quote binds the harbour for a stated time, often ten days. An estimate binds nobody. The day on which a firm quote is accepted usually decides which edition of the tariff applies, even if a dearer one comes into force before the vessel arrives.",
  },
  {
    title: "Exemptions that hold in any weather",
    url: "https://coast-notes.example/exemptions",
    text: "Lifeboats, hospital ships and vessels on a rescue are exempt from dues in every rule book we looked at, and their bookings are not re-priced. Vessels that seek shelter from a storm are treated less evenly: some harbours charge the lowest class for the first day, others wait with the bill.",
  },
  {
    title: "The breakwater line as the moment of arrival",
    url: "https://pilot-papers.example/breakwater-line",
    text: "When has a vessel arrived? Pilots say at the pilot station, boatmen say at the second line. Rule books of small harbours prefer the breakwater line, because a signal tower can log the crossing to the minute. Everything that depends on arrival, such as cancelling or re-pricing, hangs on that entry.",
  },
  {
    title: "Signal towers and their logs",
    url: "https://pilot-papers.example/signal-towers",
    text: "A signal tower shows lights for entry and keeps a log of crossings. If the log fails, the track of the vessel takes its place, and after it the book of the pilot. Disputes about hours are settled with these three, in this order.",
  },
  {
    title: "Staying longer than the berth window",
    url: "https://masters-forum.example/threads/overstaying",
    text: "A stay past the booked window is charged by the hour at a higher rate, and the berth may be needed by the next vessel. Some harbours count this as re-pricing and owe a notice for it; others treat the extra hours as a new booking. Ask before the window ends: an extension agreed in time is cheaper than a late departure.",
  },
  {
    title: "Extra services on the quay",
    url: "https://quayside-primer.example/services/on-the-quay",
    text: "Water, shore power, waste and a crane can be ordered on the quay. Each is charged by the list that was in force when it was ordered, and a signature on the delivery slip is the proof. Services nobody signed for are the most frequent reason why a bill is corrected.",
  },
  {
    title: "Shipping agents: who signs what",
    url: "https://agents-desk.example/who-signs-what",
    text: "A shipping agent may sign for the master in most matters of a booking: amendments, delivery slips, the receipt of notices. An agent cannot accept a changed price that the master has refused in writing. Harbours keep a list of agents and the vessels they stand for.",
  },
  {
    title: "Cancelling a berth, early and late",
    url: "https://coast-notes.example/cancelling",
    text: "Cancelling is free until about three days before the window begins and costs a growing share of the port dues after that. Once the vessel has arrived it is no longer possible; she pays for the window even if she sails early, unless another vessel takes it over.",
  },
  {
    title: "Night desks in small ports",
    url: "https://agents-desk.example/night-desks",
    text: "At night one person answers for the whole harbour. Night desks may take amendments and hand out notices that were prepared by day, but they rarely decide about prices. A promise of the night desk that nobody wrote down has led to many complaints.",
  },
  {
    title: "Corrections of clerical errors",
    url: "https://port-history.example/clerical-errors",
    text: "A wrong sum, a wrong date or a wrong class copied from the quote may be corrected at any time, because nothing new is decided. Rule books keep this apart from re-pricing, which changes what was agreed. The difference matters for the time limit: errors have none.",
  },
  {
    title: "Tariff editions and the day that counts",
    url: "https://hull-and-keel.example/tariffs/editions",
    text: "New editions of a tariff come out once a year, mostly on the first of April. For a booking the edition of the day of acceptance counts. A new edition is therefore no ground for re-pricing a booking that stands, neither before nor after arrival.",
  },
  {
    title: "Measuring officers at work",
    url: "https://pilot-papers.example/measuring-officers",
    text: "The officer reads the marks on both sides, fore and aft, and writes down the mean. An officer of the vessel is present and gets a copy at once. If the reading is doubted, a second one by another officer may be asked for within half a day, and then the second one counts.",
  },
  {
    title: "Paying a disputed bill",
    url: "https://agents-desk.example/paying-a-disputed-bill",
    text: "While a complaint about a changed price is open, only the undisputed part has to be paid. Vessels are not held for the rest if the agent gives a guarantee. If the complaint fails, the remainder is due within a fortnight with interest.",
  },
]
