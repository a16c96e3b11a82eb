import { CommandLine, Welcome } from "../ui/empty/empty.tsx"

export function SignIn() {
  return (
    <main>
      <Welcome
        title="Sign-in link required"
        description="The console shows your agents' transcripts and files, so it needs a session. Run this command in the repository; it prints a link that opens a session in this browser, once."
      >
        <CommandLine command="qm open" />
      </Welcome>
    </main>
  )
}
