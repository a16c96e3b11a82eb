import { EVENTS } from "#ground/contract"
import { fieldsOf } from "./fields.ts"
import { code, pageHead, table } from "./markdown.ts"

export function eventsPage(): string {
  const about =
    "All journal events. A name is `room.past-tense`; the version rises when a body " +
    "changes its meaning, and older versions are upgraded on read."
  return [pageHead("Events", about), ...EVENTS.map(describeEvent)].join("\n")
}

function describeEvent(event: (typeof EVENTS)[number]): string {
  const fields = fieldsOf(event.body, "output").map((it) => [
    code(it.name),
    it.type,
    it.description,
  ])
  return [
    `## ${event.name}\n`,
    `${event.summary}. Version ${event.version}.\n`,
    table(["Field", "Type", "What it is"], fields),
  ].join("\n")
}
