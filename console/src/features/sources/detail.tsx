import { formatAge, visibleLine } from "../../base/format.ts"
import type { Source } from "../../contract.ts"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, DetailHead, Flow, Pane, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useApprove, useLogin, useLogout, useTest } from "./use-sources.ts"
import { ORIGINS, stateOf } from "./words.ts"

type DetailProps = {
  readonly now: number
  readonly source: Source | undefined
  readonly slug: string
  readonly isReadOnly: boolean
  onClose(): void
}

export function Detail({ now, source, slug, isReadOnly, onClose }: DetailProps) {
  useKey("panel.right", onClose)
  return (
    <Pane label="The source">
      <DetailHead back="Back to the list" onClose={onClose}>
        <Text as="h2" strong cut>
          {visibleLine(source?.title ?? slug)}
        </Text>
      </DetailHead>
      {source === undefined ? (
        <RowNote>This source does not exist any more.</RowNote>
      ) : (
        <About now={now} source={source} isReadOnly={isReadOnly} />
      )}
    </Pane>
  )
}

type AboutProps = Pick<DetailProps, "now" | "isReadOnly"> & { readonly source: Source }

function About({ now, source, isReadOnly }: AboutProps) {
  const test = useTest()
  const { label, tone } = stateOf(source)
  return (
    <>
      <Unapproved source={source} isReadOnly={isReadOnly} />
      <SignIn source={source} isReadOnly={isReadOnly} />
      {source.problem === null ? null : (
        <Block title="Problem">
          <Text as="p" tone="bad" wrap>
            {visibleLine(source.problem)}
          </Text>
        </Block>
      )}
      <Block>
        <Stack gap="8">
          {source.description === "" ? null : (
            <Text as="p" wrap>
              {visibleLine(source.description)}
            </Text>
          )}
          <Values>
            <Value name="State">
              <Text tone={tone}>{label}</Text>
            </Value>
            <Value name="Last call">
              {source.checkedAt === null ? "never" : formatAge(source.checkedAt, now)}
            </Value>
            <Value name="Origin">{ORIGINS[source.origin]}</Value>
            <Value name="Digest" title={source.digest}>
              {source.digest.slice(0, 19)}
            </Value>
          </Values>
          <Flow wrap>
            <Button
              small
              variant="primary"
              keyId="sources.test"
              disabled={isReadOnly || test.isPending || !source.isReady}
              onPress={() => test.mutate(source)}
            >
              Test
            </Button>
          </Flow>
        </Stack>
      </Block>
      <Block title="Runs or calls">
        <Code text={source.command} label="Command or address" />
      </Block>
      <Tools tools={source.tools} />
    </>
  )
}

function Unapproved({ source, isReadOnly }: Omit<AboutProps, "now">) {
  const approve = useApprove()
  if (source.isApproved || source.health === "invalid") return null
  return (
    <Notice
      tone="warn"
      description="Read what it runs or calls, then approve exactly this version. After a change you must approve it again."
    >
      <Button
        small
        disabled={isReadOnly || approve.isPending}
        onPress={() => approve.mutate(source)}
      >
        Approve
      </Button>
    </Notice>
  )
}

function SignIn({ source, isReadOnly }: Omit<AboutProps, "now">) {
  const login = useLogin()
  const logout = useLogout()
  if (source.login === null || !source.isApproved) return null
  const isBusy = isReadOnly || login.isPending || logout.isPending
  if (source.login === "signed in") {
    return (
      <Notice description="Signed in. Its tokens are stored encrypted and refreshed when they expire.">
        <Button small disabled={isBusy} onPress={() => logout.mutate(source)}>
          Sign out
        </Button>
      </Notice>
    )
  }
  const page = login.data?.url ?? null
  if (source.login === "waiting" && page !== null) {
    return (
      <Notice tone="warn" description="Sign in on the page of the server; this page then shows it.">
        <LinkButton small isOutside href={page}>
          Open the sign-in page
        </LinkButton>
      </Notice>
    )
  }
  return (
    <Notice tone="warn" description="It needs a sign-in on the page of its server.">
      <Button small disabled={isBusy} onPress={() => login.mutate(source)}>
        Sign in
      </Button>
    </Notice>
  )
}

function Tools({ tools }: Pick<Source, "tools">) {
  if (tools === null) return <RowNote>Its tools are known after the first test.</RowNote>
  return (
    <Block title="Tools" aside={String(tools.length)}>
      <Text as="p" wrap mono size="sm">
        {tools.map(visibleLine).join(", ") || "none"}
      </Text>
    </Block>
  )
}
