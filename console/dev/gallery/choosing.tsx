import { useState } from "react"
import { Brief, BriefFacts, BriefField, BriefFields, BriefText } from "../../src/ui/brief/brief.tsx"
import { TextField } from "../../src/ui/field/field.tsx"
import { Block, Flow } from "../../src/ui/pane/pane.tsx"
import { Score, Tick } from "../../src/ui/score/score.tsx"
import { Seg } from "../../src/ui/seg/seg.tsx"

const FORMS = [
  { value: "full", label: "Full" },
  { value: "sym", label: "Sym" },
  { value: "path", label: "Path" },
] as const

/** The parts of which a page of choices is made, in their states. */
export function Choosing() {
  const [task, setTask] = useState("Fix the rounding of split stays")
  const [form, setForm] = useState<"full" | "sym" | "path">("sym")
  return (
    <>
      <Block title="What a page is about; press to change it">
        <Brief>
          <BriefText label="Task" value={task} onCommit={setTask} />
          <BriefFields>
            <BriefField label="Budget">
              <TextField label="Budget" value="24,000" onCommit={setTask} />
            </BriefField>
          </BriefFields>
          <BriefFacts
            facts={[
              { name: "Read as", value: "fix" },
              { name: "Words", value: "cent, split, stay" },
            ]}
          />
        </Brief>
      </Block>
      <Block title="Score, taken or not, one of a few: by itself and chosen">
        <Flow>
          {[0, 0.33, 0.97, 1].map((share) => (
            <Score key={share} share={share} />
          ))}
          <Tick isOn onPress={() => undefined} />
          <Tick isOn={false} onPress={() => undefined} />
          <Seg choices={FORMS} value={form} isChosen={false} onPick={(it) => setForm(it)} />
          <Seg choices={FORMS} value={form} isChosen onPick={(it) => setForm(it)} />
        </Flow>
      </Block>
    </>
  )
}
