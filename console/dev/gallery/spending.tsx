import { Bullets } from "../../src/ui/bullets/bullets.tsx"
import { Compare } from "../../src/ui/compare/compare.tsx"
import { Gauge, GaugeBar } from "../../src/ui/gauge/gauge.tsx"
import { Block, Stack } from "../../src/ui/pane/pane.tsx"

/** The parts of which a page of budgets is made, in their states. */
export function Spending() {
  return (
    <>
      <Block title="Used of a whole: little, warned, over, nothing, and the bar alone">
        <Stack gap="8">
          <Gauge label="800 of 4,096" share={0.2} used="800" total="4.1k" notch={0.8} />
          <Gauge label="9,812 of 12,000" share={0.82} used="9.8k" total="12.0k" notch={0.8} />
          <Gauge label="8,180 of 8,192" share={0.99} used="8.2k" total="8.2k" notch={0.8} isOver />
          <Gauge label="at least 0 of 8,192" share={0} used="≥ 0" total="8.2k" notch={0.8} />
          <GaugeBar label="1:22 of 5:00" share={0.27} />
        </Stack>
      </Block>
      <Block title="Lengths on one scale, with what is not there">
        <Compare
          lines={[
            { name: "In the windows", share: 0.12, figure: "6.6k" },
            { name: "Without folds", share: 0.12, gone: 0.88, figure: "56.6k" },
          ]}
        />
      </Block>
      <Block title="Sentences beside one another">
        <Bullets lines={["One line.", "One\nthat breaks.", `${"long".repeat(80)}`]} />
      </Block>
    </>
  )
}
