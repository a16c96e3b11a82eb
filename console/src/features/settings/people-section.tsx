import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatAge, visibleLine } from "../../base/format.ts"
import { type Invitation, type Person, plural, type Role } from "../../contract.ts"
import { useClient, useIsOwner, useOperation, useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { CopyButton } from "../../ui/copy/copy.tsx"
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField, TextField } from "../../ui/field/field.tsx"
import { FormRow } from "../../ui/form/form.tsx"
import { Group, Section } from "../../ui/list/list.tsx"
import { Flow } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: "viewer", label: "viewer" },
  { value: "operator", label: "operator" },
  { value: "owner", label: "owner" },
]

/** An owner invites, changes and revokes; everyone else sees themselves. */
export function PeopleSection({ now }: { readonly now: number }) {
  const isOwner = useIsOwner()
  const { data, error, refetch } = useOperation("people.list", {})
  const person = useSession().data?.person ?? null
  const [invitation, setInvitation] = useState<Invitation | null>(null)
  const writes = usePeopleWrites(setInvitation)
  const people = data?.people ?? []
  return (
    <Section label="People">
      <Group name="People" {...(data === undefined ? {} : { count: people.length })} />
      {error === null ? null : (
        <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isOwner ? (
        <InviteRow onInvite={(name, role) => writes.invite.mutate({ name, role })} />
      ) : null}
      {invitation === null ? null : <LinkRow invitation={invitation} />}
      {people.map((it) => (
        <FormRow key={it.id} name={visibleLine(it.name)} description={describePerson(it, now)}>
          {isOwner && it.revokedAt === null ? (
            <PersonActions
              person={it}
              onRole={(role) => writes.role.mutate({ name: it.name, role })}
              onLink={() => writes.invite.mutate({ name: it.name })}
              onRevoke={() => writes.revoke.mutate({ name: it.name })}
            />
          ) : (
            <Text tone="2">{it.revokedAt === null ? it.role : "revoked"}</Text>
          )}
        </FormRow>
      ))}
      {person === null || isOwner ? null : (
        <FormRow name="You" description="An owner of this server changes your role">
          <Text tone="2">{`${visibleLine(person.name)}, ${person.role}`}</Text>
        </FormRow>
      )}
    </Section>
  )
}

function usePeopleWrites(onInvited: (invitation: Invitation | null) => void) {
  const client = useClient()
  const toast = useToast()
  const onError = (reason: unknown) => toast.fail(toWireError(reason))
  return {
    invite: useMutation({
      mutationFn: (input: { readonly name: string; readonly role?: Role }) =>
        client.write("people.invite", input),
      onSuccess: onInvited,
      onError,
    }),
    role: useMutation({
      mutationFn: (input: { readonly name: string; readonly role: Role }) =>
        client.write("people.role", input),
      onSuccess: ({ name, role }) => toast.show({ text: `${name} has the role ${role}` }),
      onError,
    }),
    revoke: useMutation({
      mutationFn: (input: { readonly name: string }) => client.write("people.revoke", input),
      onSuccess: ({ name }) => toast.show({ text: `${name} was revoked` }),
      onError,
    }),
  }
}

function InviteRow({ onInvite }: { onInvite(name: string, role: Role): void }) {
  const [role, setRole] = useState<Role>("viewer")
  return (
    <FormRow
      name="Invite"
      description="A viewer reads, an operator also runs agents, an owner also manages people and settings"
    >
      <Flow>
        <TextField
          kind="text"
          label="Name of the person"
          value=""
          placeholder="Name, then Enter"
          onCommit={(name) => {
            if (name.trim() !== "") onInvite(name.trim(), role)
          }}
        />
        <RoleField label="Role of the person" value={role} onPick={setRole} />
      </Flow>
    </FormRow>
  )
}

type RoleFieldProps = { readonly label: string; readonly value: Role; onPick(role: Role): void }

function RoleField({ label, value, onPick }: RoleFieldProps) {
  return (
    <ChoiceField
      small
      label={label}
      choices={ROLES}
      value={value}
      onPick={(picked) => {
        const role = ROLES.find((it) => it.value === picked)?.value
        if (role !== undefined) onPick(role)
      }}
    />
  )
}

/** The page knows the address at which it was opened; the server may not. */
function LinkRow({ invitation: { person, link } }: { readonly invitation: Invitation }) {
  const token = link.slice(link.indexOf("#"))
  const address = `${window.location.origin}/${token}`
  return (
    <FormRow
      name={`Link for ${visibleLine(person.name)}`}
      description="Signs in one browser, once; it is not shown again"
    >
      <CopyButton text={address} label="Copy the link" />
    </FormRow>
  )
}

type PersonActionsProps = {
  readonly person: Person
  onRole(role: Role): void
  onLink(): void
  onRevoke(): void
}

function PersonActions({ person, onRole, onLink, onRevoke }: PersonActionsProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <Flow>
      <RoleField
        label={`Role of ${visibleLine(person.name)}`}
        value={person.role}
        onPick={onRole}
      />
      <Button small onPress={onLink}>
        New link
      </Button>
      <Button small variant="danger" onPress={() => setIsAsking(true)}>
        Revoke
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={`Revoke ${visibleLine(person.name)}`}
          description="All tokens, links and sessions of this person end at once. This cannot be undone."
          verb="Revoke"
          onDo={onRevoke}
          onClose={() => setIsAsking(false)}
        />
      ) : null}
    </Flow>
  )
}

function describePerson({ sessions, tokens, usedAt }: Person, now: number): string {
  const last = usedAt === null ? "not used yet" : `last use ${formatAge(usedAt, now)} ago`
  return `${plural(sessions, "browser")}, ${plural(tokens, "token")}, ${last}`
}
