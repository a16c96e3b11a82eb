export const CITED_OF = [
  ["re-pricing-order.md", "3.1"],
  ["re-pricing-order.md", "3.2"],
  ["re-pricing-order.md", "3.3"],
  ["re-pricing-order.md", "3.4"],
  ["tariff.md", "3.1"],
  ["booking-rules.md", "5.3"],
  ["exemptions.md", "2.1"],
  ["complaints-procedure.txt", "2.2"],
  ["harbour-handbook.md", "1.4"],
  ["re-pricing-order.md", "3.8"],
  ["tariff.md", "6.2"],
] as const

export const ANSWER = `## Short answer

Once a ship has arrived, the port can only change the price of its booking for one of three reasons, and only if it sends a formal Re-pricing Notice in time [P1].

## When re-pricing is allowed

- **Measurement.** If the measured draught turns out to be more than 0.3 m deeper than the Declared Draught, the booking may be re-priced [P2] [P5].
- **Signed amendments.** When the Master or the Shipping Agent signs an Amendment after Arrival, the new price applies from the hour of signature; anything used earlier stays at the old price [P6].
- **Overstaying.** Staying more than six hours past the Berth Window is the third ground, unless the port caused the delay [P2].

## When it is not allowed

The port may not re-price because of its own mistake in the Firm Quote, rising costs, or a berth change ordered by the Harbour Master [P3]. Hospital ships, lifeboats and rescue vessels are never re-priced after Arrival [P7]. After the vessel has departed, no notice can be given, even if the 24 hours are still running [P10].

## Timing

"Arrival" is the moment the ship crosses the Breakwater Line inbound, not when it reports at the Pilot Station [P9]. The Re-pricing Notice must reach the Master within 24 hours of the event; a late notice has no effect and the old price stands [P4]. Complaints must be filed within 14 days [P8], and the disputed amount isn't due until a decision is made [P11].`
