import {
  currentBranch,
  listRemotes,
  type Repository,
  refCommit,
  symbolicTarget,
  upstreamOf,
} from "#see/repo"

/** The remote of the branch's upstream, else origin, else the only one. */
export async function findRemote(
  repository: Repository,
): Promise<{ readonly name: string; readonly url: string } | undefined> {
  const remotes = await listRemotes(repository)
  const branch = await currentBranch(repository)
  const upstream = branch === undefined ? undefined : await upstreamOf(repository, branch)
  const [only] = remotes.size === 1 ? remotes.keys() : []
  for (const name of [upstream?.remote, "origin", only]) {
    const url = name === undefined ? undefined : remotes.get(name)
    if (name !== undefined && url !== undefined) return { name, url }
  }
  return undefined
}

/** Without the remote's name. */
export async function mainBranchOf(
  repository: Repository,
  remote: string,
): Promise<string | undefined> {
  const tracked = `refs/remotes/${remote}/`
  const target = await symbolicTarget(repository, `${tracked}HEAD`)
  if (target?.startsWith(tracked) === true) return target.slice(tracked.length)
  for (const name of ["main", "master"]) {
    if ((await refCommit(repository, tracked + name)) !== undefined) return name
  }
  return undefined
}
