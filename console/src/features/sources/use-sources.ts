import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import type { CredentialRequest, Source } from "../../contract.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

export function useSources() {
  return useOperation("source.list", {})
}

export function useRequests() {
  return useOperation("credential.requests", {})
}

/** Shows the outcome, and reads the list again whatever it was. */
function useAction<Input, Output>(
  act: (input: Input) => Promise<Output>,
  describe: (output: Output) => string,
) {
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: act,
    onSuccess: (output) => toast.show({ text: describe(output) }),
    onError: (error: unknown) => toast.fail(toWireError(error)),
    onSettled: () => {
      invalidateOperations(queries, ["source.list", "credential.requests"])
    },
  })
}

export function useApprove() {
  const client = useClient()
  return useAction(
    ({ slug, digest }: Source) => client.write("source.approve", { slug, digest }),
    ({ slug }) => `${slug} is approved`,
  )
}

export function useTest() {
  const client = useClient()
  return useAction(
    ({ slug }: Source) => client.write("source.test", { slug }),
    ({ source, durationMs }) =>
      source.health === "dead"
        ? `${source.slug} did not answer`
        : `${source.slug} answered in ${durationMs} ms`,
  )
}

export function useLogin() {
  const client = useClient()
  return useAction(
    ({ slug }: Source) => client.write("source.login", { slug }),
    ({ source }) => `Sign in to ${source.slug} on the page of its server`,
  )
}

export function useLogout() {
  const client = useClient()
  return useAction(
    ({ slug }: Source) => client.write("source.logout", { slug }),
    ({ source, isRevoked }) =>
      isRevoked
        ? `Signed out of ${source.slug}, tokens revoked`
        : `Signed out of ${source.slug}; the server did not confirm`,
  )
}

type GivenCredential = { readonly request: CredentialRequest; readonly value: string }

export function useGive() {
  const client = useClient()
  return useAction(
    ({ request, value }: GivenCredential) =>
      client.write("credential.give", { id: request.id, value }),
    ({ name }) => `${name} is stored; the agent does not see it`,
  )
}

export function useDeny() {
  const client = useClient()
  return useAction(
    ({ id }: CredentialRequest) => client.write("credential.deny", { id }),
    ({ name }) => `${name} is denied`,
  )
}
