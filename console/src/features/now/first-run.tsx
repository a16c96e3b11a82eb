import type { DoctorReport } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { CheckLines, CommandLine, Hello } from "../../ui/empty/empty.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Prose } from "../../ui/text/text.tsx"

type FirstRunProps = {
  readonly name: string
  readonly doctor: DoctorReport | undefined
  onCheck(): void
}

const STATUS = { ok: "done", warn: "warned", fail: "failed" } as const

export function FirstRun({ name: repository, doctor, onCheck }: FirstRunProps) {
  return (
    <Hello
      title="Ready, and nothing has happened yet"
      says={`The store of ${repository} was just made. What agents do here will be kept in it and shown on this page. Check this machine first: it reads, changes nothing and takes well under a second.`}
      afterwards={
        <Prose>
          {
            "Afterwards: `qm tokens CLAUDE.md` says what a file costs, `qm events` lists what was kept."
          }
        </Prose>
      }
    >
      <CommandLine command="qm doctor">
        <Button look="primary" small onPress={onCheck}>
          Check now
        </Button>
      </CommandLine>
      {doctor === undefined ? (
        <RowSkeleton rows={6} />
      ) : (
        <CheckLines
          lines={doctor.checks.map(({ state, name, detail, hint }) => ({
            status: STATUS[state],
            name,
            detail: hint === undefined ? detail : `${detail}. ${hint}`,
          }))}
        />
      )}
    </Hello>
  )
}
