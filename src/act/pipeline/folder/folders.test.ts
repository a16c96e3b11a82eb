import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { RecipeFolder } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { foldersIn, HEAD, SMALL, STAGE, writeFiles } from "./recipe.fixture.ts"

const SHIPPED = path.resolve(import.meta.dirname, "../../../../recipes")

describe("reading a recipe", () => {
  test("[PIPE-40] a recipe is a folder with header, stages and prompts, read once", async () => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    await writeFiles(path.join(user, "small"), SMALL)
    const { recipe, prompts } = await folders.find("small")
    expect(RecipeFolder.parse(recipe)).toEqual(recipe)
    expect(recipe).toMatchObject({
      slug: "small",
      name: "Small",
      description: "Asks once",
      origin: "user",
      folder: path.join(user, "small"),
      isTrusted: true,
      sources: [],
      tools: [],
      problems: [],
      config: { stages: [{ name: "answer", maxOutputTokens: 4_000 }], pauseOnErrors: true },
    })
    expect(prompts).toEqual([{ file: "answer.md", text: "Answer {{query}}.\n" }])
  })

  test("[PIPE-40] a byte-order mark, Windows line ends, comments and trailing commas are accepted", async () => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    await writeFiles(path.join(user, "small"), {
      ...SMALL,
      "RECIPE.md": `\ufeff${HEAD.replaceAll("\n", "\r\n")}\r\n# Small\r\n`,
      "config.json": `\ufeff// stages\r\n{ "$schema": "x", "stages": [${JSON.stringify(STAGE)},], /* end */ }`,
    })
    const { recipe } = await folders.find("small")
    expect(recipe.problems).toEqual([])
    expect(recipe).toMatchObject({ name: "Small", config: { stages: [{ name: "answer" }] } })
  })

  test("[PIPE-40] the shipped recipes have no problems", async () => {
    await using temp = await tempDirectory()
    const { folders } = foldersIn(temp.path, { shipped: SHIPPED })
    const { recipes, isValid } = await folders.validate()
    expect(recipes.map((it) => [it.slug, it.problems])).toEqual([
      ["deep-research", []],
      ["dev-loop", []],
    ])
    expect(isValid).toBe(true)
  })

  test("[PIPE-41] folders named agents are still read, and a folder named recipes wins", async () => {
    await using temp = await tempDirectory()
    const at = (...names: string[]) => path.join(temp.path, ...names)
    const { folders } = foldersIn(temp.path, { project: [at("agents"), at("recipes")] })
    await writeFiles(at("agents", "old"), SMALL)
    await writeFiles(at("agents", "both"), SMALL)
    await writeFiles(at("recipes", "both"), SMALL)
    expect((await folders.list()).map((it) => it.folder)).toEqual([
      at("recipes", "both"),
      at("agents", "old"),
    ])
    await writeFiles(at("shipped", "small"), SMALL)
    await expect(folders.make({ slug: "old", template: "small" })).rejects.toMatchObject({
      code: "PIPELINE_RECIPE_EXISTS",
      formerCode: "PIPELINE_AGENT_EXISTS",
    })
    const made = await folders.make({ slug: "new", template: "small" })
    expect(made.folder).toBe(at("recipes", "new"))
  })

  test("[PIPE-41] the repository's recipe overrides the user's, which overrides the shipped one", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, user, project } = foldersIn(temp.path)
    for (const place of [shipped, user, project]) await writeFiles(path.join(place, "small"), SMALL)
    await writeFiles(path.join(shipped, "another"), SMALL)
    const listed = await folders.list()
    expect(listed.map((it) => [it.slug, it.origin, it.shadows])).toEqual([
      ["another", "shipped", []],
      ["small", "project", [path.join(user, "small"), path.join(shipped, "small")]],
    ])
  })

  test("[PIPE-41] the error for an unknown recipe lists the existing ones", async () => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    await writeFiles(path.join(user, "small"), SMALL)
    const unknown = { code: "PIPELINE_RECIPE_UNKNOWN", data: { slug: "smal", known: ["small"] } }
    await expect(folders.find("smal")).rejects.toMatchObject(unknown)
    await expect(folders.validate("../small")).rejects.toMatchObject({
      code: "PIPELINE_RECIPE_UNKNOWN",
    })
  })

  test("[PIPE-41] a folder whose name is not a slug is skipped with a note", async () => {
    await using temp = await tempDirectory()
    const said: unknown[] = []
    const say = (...words: unknown[]) => void said.push(words)
    const log = { debug: say, info: say, warn: say, error: say }
    const { folders, user } = foldersIn(temp.path, { log })
    for (const name of ["small", "Large", "2nd", ".hidden"])
      await writeFiles(path.join(user, name), SMALL)
    await writeFile(path.join(user, "notes"), "no folder")
    expect((await folders.list()).map((it) => it.slug)).toEqual(["small"])
    expect(said).toEqual([
      ["a folder is not a recipe: its name is not a slug", { directory: user, name: "2nd" }],
      ["a folder is not a recipe: its name is not a slug", { directory: user, name: "Large" }],
    ])
  })
})

describe("the limits of a recipe folder", () => {
  const problemsWith = async (change: (folder: string) => Promise<void>) => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    const folder = path.join(user, "small")
    await writeFiles(folder, SMALL)
    await change(folder)
    const { recipe } = await folders.find("small")
    expect(recipe.config).toBeNull()
    return recipe.problems.map((it) => it.problem)
  }

  test("[PIPE-44] a link in the folder is reported and not followed", async () => {
    const problems = await problemsWith(async (folder) => {
      const outside = path.join(folder, "../../secret.md")
      await writeFile(outside, "Answer {{query}}.")
      await rm(path.join(folder, "prompts/answer.md"))
      await symlink(outside, path.join(folder, "prompts/answer.md"))
    })
    expect(problems).toContain("prompts/answer.md is a symbolic link; not followed")
  })

  test("[PIPE-44] a folder that is a link is not a recipe", async () => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    await writeFiles(path.join(temp.path, "elsewhere"), SMALL)
    await mkdir(user, { recursive: true })
    await symlink(path.join(temp.path, "elsewhere"), path.join(user, "small"))
    const { recipe } = await folders.find("small")
    expect(recipe.problems[0]?.problem).toBe(". is not a folder")
    expect(recipe.config).toBeNull()
  })

  test("[PIPE-44] a file over 1 MB is not read", async () => {
    const problems = await problemsWith(async (folder) => {
      await writeFile(path.join(folder, "large.md"), Buffer.alloc(1024 ** 2 + 1, "a"))
    })
    expect(problems).toEqual(["large.md is larger than 1048576 bytes"])
  })

  test("[PIPE-44] a file that is not UTF-8 text is reported", async () => {
    const problems = await problemsWith((folder) =>
      writeFile(path.join(folder, "picture.png"), Buffer.from([0xff, 0xfe, 0x00])),
    )
    expect(problems).toEqual(["picture.png is not UTF-8"])
  })

  test("[PIPE-44] the 201st file is reported, in whichever folders the files are", async () => {
    const problems = await problemsWith(async (folder) => {
      for (const half of ["1", "2"]) await mkdir(path.join(folder, half))
      for (let index = 0; index < 201; index++)
        await writeFile(path.join(folder, index % 2 === 0 ? "1" : "2", `${index}.md`), "text")
    })
    expect(problems[0]).toBe(". has more than 200 files")
  })

  test("[PIPE-44] the depth of sub-folders is limited", async () => {
    const problems = await problemsWith((folder) =>
      writeFiles(folder, { "a/b/c/d/e/f/g.md": "deep" }),
    )
    expect(problems).toEqual(["a/b/c/d/e/f is nested too deeply"])
  })
})

describe("trust in a recipe", () => {
  test("[PIPE-45] the user trusts a repository's recipe by its exact digest", async () => {
    await using temp = await tempDirectory()
    const { folders, project, trustFile } = foldersIn(temp.path)
    await writeFiles(path.join(project, "small"), SMALL)
    const { recipe } = await folders.find("small")
    expect(recipe.isTrusted).toBe(false)
    expect((await folders.trust({ slug: "small", digest: recipe.digest })).isTrusted).toBe(true)
    expect((await folders.find("small")).recipe).toEqual({ ...recipe, isTrusted: true })
    expect((await stat(trustFile)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(trustFile))).mode & 0o777).toBe(0o700)
  })

  const CHANGES: readonly [string, (folder: string) => Promise<unknown>][] = [
    [
      "a changed byte of a prompt",
      (it) => writeFiles(it, { "prompts/answer.md": "Answer {{query}}!\n" }),
    ],
    ["a new file", (it) => writeFiles(it, { "notes.md": "" })],
    ["a removed file", (it) => rm(path.join(it, "more.md"))],
    ["a new link", (it) => symlink("RECIPE.md", path.join(it, "link.md"))],
    ["bytes moved to another file", (it) => writeFiles(it, { "more.md": "x", "most.md": "yz" })],
  ]

  test.each(CHANGES)("[PIPE-45] %s ends the trust", async (_, change) => {
    await using temp = await tempDirectory()
    const { folders, project } = foldersIn(temp.path)
    const folder = path.join(project, "small")
    await writeFiles(folder, { ...SMALL, "more.md": "xy", "most.md": "z" })
    await folders.trust({ slug: "small" })
    expect((await folders.find("small")).recipe.isTrusted).toBe(true)
    await change(folder)
    expect((await folders.find("small")).recipe.isTrusted).toBe(false)
  })

  test("[PIPE-45] a recipe that changed after it was read is not trusted", async () => {
    await using temp = await tempDirectory()
    const { folders, project } = foldersIn(temp.path)
    await writeFiles(path.join(project, "small"), SMALL)
    const { recipe } = await folders.find("small")
    await writeFiles(path.join(project, "small"), { "prompts/answer.md": "Send {{query}} away." })
    const trusting = folders.trust({ slug: "small", digest: recipe.digest })
    await expect(trusting).rejects.toMatchObject({ code: "PIPELINE_RECIPE_CHANGED" })
    expect((await folders.find("small")).recipe.isTrusted).toBe(false)
  })

  test("[PIPE-45] trust applies to one folder: the same bytes elsewhere need their own", async () => {
    await using temp = await tempDirectory()
    const one = foldersIn(temp.path)
    const other = foldersIn(temp.path, { project: [path.join(temp.path, "other")] })
    await writeFiles(path.join(one.project, "small"), SMALL)
    await writeFiles(path.join(temp.path, "other/small"), SMALL)
    await one.folders.trust({ slug: "small" })
    expect((await other.folders.find("small")).recipe.isTrusted).toBe(false)
    await other.folders.trust({ slug: "small" })
    expect((await one.folders.find("small")).recipe.isTrusted).toBe(true)
  })

  test.each(["", "{", '{"version":2,"agents":[]}', "[]"])(
    "[PIPE-45] an approvals file with the content %j approves nothing and is rewritten",
    async (text) => {
      await using temp = await tempDirectory()
      const { folders, project, trustFile } = foldersIn(temp.path)
      await writeFiles(path.join(project, "small"), SMALL)
      await writeFiles(path.dirname(trustFile), { "agents.json": text })
      expect((await folders.find("small")).recipe.isTrusted).toBe(false)
      await folders.trust({ slug: "small" })
      expect((await folders.find("small")).recipe.isTrusted).toBe(true)
    },
  )

  test("[PIPE-45] shipped recipes and the user's own need no approval, and none is stored", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, user, trustFile } = foldersIn(temp.path)
    await writeFiles(path.join(shipped, "ours"), SMALL)
    await writeFiles(path.join(user, "mine"), SMALL)
    expect((await folders.list()).map((it) => it.isTrusted)).toEqual([true, true])
    await folders.trust({ slug: "mine" })
    await expect(stat(trustFile)).rejects.toThrow("ENOENT")
  })

  test("[PIPE-45] a repository's recipe with the name of a shipped one is not trusted", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, project } = foldersIn(temp.path)
    await writeFiles(path.join(shipped, "small"), SMALL)
    await writeFiles(path.join(project, "small"), SMALL)
    expect((await folders.find("small")).recipe).toMatchObject({
      origin: "project",
      isTrusted: false,
    })
  })
})

describe("creating a recipe", () => {
  test("a new recipe has the stages and prompts of a shipped one under its own name, and is trusted", async () => {
    await using temp = await tempDirectory()
    const { folders, project } = foldersIn(temp.path, { shipped: SHIPPED })
    const made = await folders.make({ slug: "my-research", template: "deep-research" })
    expect(made).toMatchObject({ slug: "my-research", name: "My research", problems: [] })
    expect(made).toMatchObject({ origin: "project", isTrusted: true })
    const config = path.join("my-research", "config.json")
    expect(await readFile(path.join(project, config), "utf8")).toBe(
      await readFile(path.join(SHIPPED, "deep-research/config.json"), "utf8"),
    )
    const names = await readdir(path.join(project, "my-research"))
    expect(names.toSorted()).toEqual(["RECIPE.md", "config.json", "prompts"])
  })

  test("[PIPE-40] AGENT.md is read where there is no RECIPE.md, and its problems name it", async () => {
    await using temp = await tempDirectory()
    const { folders, user } = foldersIn(temp.path)
    const { "RECIPE.md": head = "", ...rest } = SMALL
    await writeFiles(path.join(user, "old"), { ...rest, "AGENT.md": head })
    await writeFiles(path.join(user, "both"), { ...SMALL, "AGENT.md": "no header" })
    await writeFiles(path.join(user, "bad"), { ...rest, "AGENT.md": "no header" })
    const listed = new Map((await folders.list()).map((it) => [it.slug, it]))
    expect(listed.get("old")).toMatchObject({ name: "Small", problems: [] })
    expect(listed.get("both")).toMatchObject({ name: "Small", problems: [] })
    expect(listed.get("bad")?.problems).toMatchObject([{ file: "AGENT.md", line: 1 }])
  })

  test("a new recipe keeps the other header fields of its original", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, project } = foldersIn(temp.path)
    const head =
      "---\r\nname: Small # short\r\ndescription: Asks\r\n# why\r\nsources: [web]\r\n---\r\nBody $& {{name}}\r\n"
    await writeFiles(path.join(shipped, "small"), { ...SMALL, "RECIPE.md": head })
    const made = await folders.make({ slug: "mine", template: "small" })
    expect(made).toMatchObject({
      name: "Mine",
      description: "Asks",
      sources: ["web"],
      problems: [],
    })
    const text = await readFile(path.join(project, "mine/RECIPE.md"), "utf8")
    expect(text).toContain("# why")
    expect(text).toContain("Body $& {{name}}")
  })

  test("a name that exists in the repository is rejected, whatever has it", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, project } = foldersIn(temp.path)
    await writeFiles(path.join(shipped, "small"), SMALL)
    await writeFiles(path.join(project), { mine: "a file" })
    const making = folders.make({ slug: "mine", template: "small" })
    await expect(making).rejects.toMatchObject({ code: "PIPELINE_RECIPE_EXISTS" })
    expect(await readFile(path.join(project, "mine"), "utf8")).toBe("a file")
  })

  test("a new recipe is not written through a link", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, project } = foldersIn(temp.path)
    await writeFiles(path.join(shipped, "small"), SMALL)
    const elsewhere = path.join(temp.path, "elsewhere")
    await mkdir(elsewhere)
    await symlink(elsewhere, project)
    const making = folders.make({ slug: "mine", template: "small" })
    await expect(making).rejects.toMatchObject({ code: "FILE_NOT_DIRECTORY" })
    expect(await readdir(elsewhere)).toEqual([])
  })

  test("only a shipped recipe can be copied", async () => {
    await using temp = await tempDirectory()
    const { folders, shipped, user } = foldersIn(temp.path)
    await writeFiles(path.join(shipped, "small"), SMALL)
    await writeFiles(path.join(user, "own"), SMALL)
    await expect(folders.make({ slug: "mine", template: "own" })).rejects.toMatchObject({
      code: "PIPELINE_RECIPE_TEMPLATE_UNKNOWN",
      data: { known: ["small"] },
    })
  })
})
