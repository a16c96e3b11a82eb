import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { DocumentInvalid, HeadNeedsTable } from "../errors.ts"
import { fileCounts, indexFile } from "../index-terms.ts"
import { LARGEST_CONTENT_NUMBER, MOST_COMMITS } from "../limits.ts"
import { createPostings } from "../postings.ts"
import { countMessageTerms, countNameTerms, countTerms, readQuery } from "../words/words.ts"
import { prepareCorpus } from "./corpus.ts"
import { HEADS, runNet } from "./fusion.ts"
import { type Commit, prepareHistory } from "./history.ts"
import { loadRanker } from "./load-ranker.ts"
import { rank } from "./rank.ts"
import { meaningOf, prepareMeaning } from "./semantic-scores.ts"

const ranker = await loadRanker({ table: "load" })
const withoutTable = { ...ranker, table: undefined }

type File = { readonly path: string; readonly text: string; readonly names: readonly string[] }

function treeOf(files: readonly File[], commits: readonly Commit[] = []) {
  const terms = files.map((it) => indexFile(it.text, it.names))
  const postings = createPostings(2)
  for (const [content, it] of terms.entries()) postings.put(content, fileCounts(it))
  const corpus = prepareCorpus(
    files.map(({ path }, content) => ({
      path,
      content,
      bodyLength: terms[content]!.bodyLength,
    })),
  )
  const meaning = prepareMeaning(ranker.table!, corpus, (position) =>
    meaningOf(ranker.table!, files[position]!.path, terms[position]!),
  )
  const history = prepareHistory(commits, corpus)
  return { corpus, postingsOf: postings.of, history, meaning }
}

const word = fc.constantFrom(
  ..."cache token server parse file error config route user test".split(" "),
)
const words = fc.array(word, { maxLength: 12 }).map((it) => it.join(" "))
const path = fc
  .tuple(
    fc.constantFrom("", "lib/", "src/cache/", "src/"),
    fc.constantFrom("cache", "tokenServer", "user_file", ".config", "error-route"),
    fc.constantFrom(".ts", ".test.go", ""),
  )
  .map((it) => it.join(""))
const file = fc.record({ path, text: words, names: fc.array(word, { maxLength: 3 }) })
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 40, selector: (it) => it.path })
const commit = fc.record({ message: words, files: fc.uniqueArray(path, { maxLength: 22 }) })
// More commits than get a vote, and a first line that may contain only stop words.
const commits = fc.array(commit, { maxLength: 70, size: "max" })
const task = fc
  .tuple(fc.constantFrom("", "Fix it\n\n", "Server fails\n\n"), words)
  .map((it) => it.join(""))
const fixture = fc.record({ files, commits, task })

describe("measures against the reference", () => {
  test("[SEARCH-6] every word and history measure equals the reference, file by file", () => {
    fc.assert(
      fc.property(fixture, ({ files: all, commits: past, task: text }) => {
        const { raw } = rank(ranker, treeOf(all, past), {
          query: readQuery(text),
          head: "lex+hist",
        })
        for (const [name, expected] of Object.entries(byDefinition(all, past, text))) {
          const actual = raw[name as keyof typeof raw]!
          for (const [at, value] of expected.entries()) {
            expect(Math.abs(actual[at]! - value), `${name} of ${all[at]!.path}`).toBeLessThan(1e-6)
          }
        }
      }),
      fcParameters({ numRuns: 150 }),
    )
  })
})

describe("reference limits", () => {
  const many = Array.from({ length: 45 }, (_, at) => [
    { path: `f${at}/a`, text: "cache", names: [] },
    { path: `f${at}/b`, text: "user", names: [] },
  ]).flat()
  const query = readQuery("cache")
  const above0 = (values: Float64Array | undefined) => values?.filter((it) => it > 0).length

  test("[SEARCH-6] thirty files vote for their folders, forty messages vote", () => {
    const past = many.map((it) => ({ message: "cache", files: [it.path] }))
    const { raw } = rank(ranker, treeOf(many, past), { query, head: "lex+hist" })
    expect(above0(raw.dirmax)).toBe(30)
    expect(above0(raw.msgvote)).toBe(40)
  })

  test("[SEARCH-6] twelve files add their co-changed files", () => {
    const past = many.map((_, at) => ({ message: "", files: [`f${at}/a`, `f${at}/b`] }))
    const { raw } = rank(ranker, treeOf(many, past), { query, head: "lex+hist" })
    expect(above0(raw.cochg)).toBe(12)
  })

  test("[SEARCH-6] the word table reads the first 32 terms of a task", () => {
    const terms = Array.from({ length: 32 }, (_, at) => `zz${"q".repeat(at + 1)}`)
    const tree = treeOf([
      { path: "1", text: terms[31]!, names: [] },
      { path: "2", text: "cache", names: [] },
    ])
    const last = readQuery([...terms, "cache"].join(" "))
    const { raw } = rank(ranker, tree, { query: last, head: "all" })
    expect([...raw.exact!].map((it) => it > 0)).toEqual([true, false])
    expect([...raw.dense!]).toEqual([0, 0])
    expect(raw.bm25![1]).toBeGreaterThan(0)
  })

  test("[SEARCH-6] a commit of twenty files counts; a larger one only ages the others", () => {
    const paths = many.map((it) => it.path)
    const wide = { message: "cache", files: paths.slice(0, 21) }
    const narrow = { message: "cache", files: paths.slice(20, 40) }
    const { touches } = treeOf(many, [wide, narrow]).history
    expect(above0(touches)).toBe(20)
    expect(touches[20]).toBeCloseTo(Math.log1p(0.998 ** 2), 12)
  })
})

describe("history limit", () => {
  test("[SEARCH-2] the 3,000th commit is the last that counts", () => {
    const past = (before: number) => [
      ...Array.from({ length: before }, () => ({ message: "", files: [] })),
      { message: "cache", files: ["a"] },
    ]
    const tree = (before: number) => treeOf([{ path: "a", text: "", names: [] }], past(before))
    expect(tree(MOST_COMMITS - 1).history.changes).toHaveLength(1)
    expect(tree(MOST_COMMITS).history.changes).toEqual([])
    expect(MOST_COMMITS).toBe(3_000)
  })
})

describe("the network tanh(x W1 + b1) w2 + x v", () => {
  test("[SEARCH-6] a gate counts for every file like a column", () => {
    const net = {
      features: ["bm25", "g_qlen"],
      W1: Float64Array.of(0.5, -1, 2, 0.25),
      b1: Float64Array.of(0.1, -0.2),
      w2: Float64Array.of(3, -2),
      v: Float64Array.of(0.7, 1.5),
    }
    const column = Float64Array.of(0, 0.4)
    const expected = [0, 0.4].map(
      (x) =>
        3 * Math.tanh(0.5 * x + 2 * 0.3 + 0.1) -
        2 * Math.tanh(-x + 0.25 * 0.3 - 0.2) +
        0.7 * x +
        1.5 * 0.3,
    )
    const asGate = new Map<string, number | Float64Array>([
      ["bm25", column],
      ["g_qlen", 0.3],
    ])
    const asColumn = new Map([
      ["bm25", column],
      ["g_qlen", Float64Array.of(0.3, 0.3)],
    ])
    for (const inputs of [asGate, asColumn]) {
      for (const [at, score] of runNet(net, inputs, 2).entries()) {
        expect(score).toBeCloseTo(expected[at]!, 12)
      }
    }
    expect(() => runNet(net, new Map([["bm25", column]]), 2)).toThrow("g_qlen was measured")
  })
})

describe("rank: order of the files", () => {
  test("[SEARCH-7] the same input gives the same bytes, every file once, under every head", () => {
    fc.assert(
      fc.property(
        fixture,
        fc.constantFrom(...HEADS),
        ({ files: all, commits: past, task: text }, head) => {
          const query = readQuery(text)
          const first = rank(ranker, treeOf(all, past), { query, head })
          const second = rank(ranker, treeOf(all, past), { query, head })
          expect(Buffer.from(first.scores.buffer)).toEqual(Buffer.from(second.scores.buffer))
          expect(first.order).toEqual(second.order)
          expect(first.scores.every(Number.isFinite)).toBe(true)
          expect([...first.order].toSorted((a, b) => a - b)).toEqual(all.map((_, at) => at))
          for (const input of first.inputs.values()) {
            expect(typeof input === "number" ? [input] : [...input]).toSatisfy((it: number[]) =>
              it.every(Number.isFinite),
            )
          }
        },
      ),
      fcParameters({ numRuns: 100 }),
    )
  })

  test("[SEARCH-7] larger scores come first, and equal scores stay in the order of the tree", () => {
    fc.assert(
      fc.property(fixture, ({ files: all, commits: past, task: text }) => {
        const { order, scores } = rank(ranker, treeOf(all, past), { query: readQuery(text) })
        const expected = all.map((_, at) => at).toSorted((a, b) => scores[b]! - scores[a]! || a - b)
        expect([...order]).toEqual(expected)
      }),
      fcParameters({ numRuns: 100 }),
    )
  })

  test.for(HEADS)(
    "[SEARCH-7] an empty tree and an empty query give an empty ranking, under %s",
    (head) => {
      expect([...rank(ranker, treeOf([]), { query: readQuery("cache"), head }).order]).toEqual([])
      const alone = treeOf([{ path: "", text: "", names: [] }])
      const ranking = rank(ranker, alone, { query: readQuery(""), head })
      expect([...ranking.order]).toEqual([0])
      expect(ranking.scores.every(Number.isFinite)).toBe(true)
    },
  )

  test("[SEARCH-5] a file without a common word changes no order of word scores, except by rarity", () => {
    // One term has one rarity, which scales all scores alike; equal lengths leave the mean
    // unchanged.
    const text = fc.array(word, { minLength: 6, maxLength: 6 }).map((it) => it.join(" "))
    const equal = fc.array(text, { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(equal, word, (texts, query) => {
        const all = texts.map((it, at) => ({ path: `${at}`, text: it, names: [] }))
        const stranger = { path: "100", text: "crane crane crane crane crane crane", names: [] }
        const before = rank(ranker, treeOf(all), { query: readQuery(query), head: "lex" }).raw
        const after = rank(ranker, treeOf([...all, stranger]), {
          query: readQuery(query),
          head: "lex",
        }).raw
        const order = (values: Float64Array) =>
          all.map((_, at) => at).toSorted((a, b) => values[b]! - values[a]! || a - b)
        expect(order(after.bm25!)).toEqual(order(before.bm25!))
        expect(order(after.bm25f!)).toEqual(order(before.bm25f!))
        expect(after.bm25!.at(-1)).toBe(0)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})

describe("contents of the tree", () => {
  const postings = createPostings(2)
  postings.put(4, [new Map([["cache", 3]]), new Map()])
  postings.put(9, [new Map([["cache", 8]]), new Map()])
  const query = readQuery("cache")

  test("[SEARCH-5] two files may share a content; contents of other trees are left out", () => {
    const corpus = prepareCorpus([
      { path: "q/one", content: 4, bodyLength: 3 },
      { path: "q/two", content: 4, bodyLength: 3 },
      { path: "q/none", content: 2, bodyLength: 3 },
    ])
    const { raw } = rank(ranker, { corpus, postingsOf: postings.of }, { query })
    expect(raw.bm25![0]).toBeGreaterThan(0)
    expect(raw.bm25![1]).toBe(raw.bm25![0])
    expect(raw.bm25![2]).toBe(0)
  })

  test.for([
    ["its length is NaN", { path: "a", content: 0, bodyLength: Number.NaN }],
    ["its length is -1", { path: "a", content: 0, bodyLength: -1 }],
    ["its number is 0.5", { path: "a", content: 0.5, bodyLength: 1 }],
    [
      `its number is ${LARGEST_CONTENT_NUMBER + 1}`,
      { path: "a", content: LARGEST_CONTENT_NUMBER + 1, bodyLength: 1 },
    ],
  ] as const)("[SEARCH-11] rejects a file: %s", ([wrong, entry]) => {
    expect(() => prepareCorpus([entry])).toThrow(
      expect.objectContaining({ code: DocumentInvalid.code, data: { path: "a", wrong } }),
    )
  })

  test("[SEARCH-11] rejects a duplicate path and an invalid vector", () => {
    const entry = { path: "a", content: 0, bodyLength: 1 }
    const refusal = expect.objectContaining({ code: DocumentInvalid.code })
    expect(() => prepareCorpus([entry, entry])).toThrow(refusal)
    const corpus = prepareCorpus([entry])
    const tooShort = () => new Float32Array(3)
    expect(() => prepareMeaning(ranker.table!, corpus, tooShort)).toThrow(refusal)
    const notNumbers = () => new Float32Array(256).fill(Number.NaN)
    expect(() => prepareMeaning(ranker.table!, corpus, notNumbers)).toThrow(refusal)
  })
})

describe("missing signals", () => {
  const all = [{ path: "a.ts", text: "cache", names: [] }]
  const past = [{ message: "cache", files: ["a.ts"] }]
  const query = readQuery("cache")

  test("[SEARCH-8] the head follows from the available signals", () => {
    const tree = treeOf(all, past)
    const { meaning, ...bare } = tree
    const pastless = treeOf(all)
    expect(rank(ranker, tree, { query }).head).toBe("all")
    expect(rank(ranker, pastless, { query }).head).toBe("lex+model")
    expect(rank(ranker, bare, { query }).head).toBe("lex+hist")
    expect(rank(withoutTable, tree, { query }).head).toBe("lex+hist")
    const { history, ...wordsOnly } = bare
    expect(rank(ranker, wordsOnly, { query }).head).toBe("lex")
    expect(rank(ranker, { ...wordsOnly, history: pastless.history }, { query }).head).toBe("lex")
    expect(rank(ranker, wordsOnly, { query, head: "lex+hist" }).head).toBe("lex+hist")
    expect([meaning, history]).not.toContain(undefined)
  })

  test.for(["lex+model", "all"] as const)(
    "[SEARCH-8] rejects %s without the word table",
    (head) => {
      const refusal = expect.objectContaining({ code: HeadNeedsTable.code })
      expect(() => rank(withoutTable, treeOf(all, past), { query, head })).toThrow(refusal)
      const { meaning: _, ...bare } = treeOf(all, past)
      expect(() => rank(ranker, bare, { query, head })).toThrow(refusal)
    },
  )
})

/** An independent implementation of the reference as tables of files by terms; slow. */
function byDefinition(all: readonly File[], changes: readonly Commit[], query: string) {
  const counted = countMessageTerms(query)
  const T = [...counted.keys()]
  const N = all.length
  const qw = T.map((t) => Math.sqrt(Math.min(counted.get(t)!, 3)))
  const subject = new Set(countMessageTerms(query.trim().split("\n")[0]!).keys())
  const docs = all.map((it) => ({
    path: it.path,
    tf: countTerms(it.text).counts,
    pt: countTerms(it.path).counts,
    defs: countNameTerms(new Set(it.names)),
    L: countTerms(it.text).emitted + countTerms(it.path).emitted,
  }))
  const grid = (f: (d: (typeof docs)[number], t: string) => number) =>
    docs.map((d) => T.map((t) => f(d, t)))
  const body = grid((d, t) => d.tf.get(t) ?? 0)
  const pathGrid = grid((d, t) => d.pt.get(t) ?? 0)
  const defs = grid((d, t) => d.defs.get(t) ?? 0)
  const bp = body.map((row, i) => row.map((it, j) => it + pathGrid[i]![j]!))
  const ff = bp.map((row, i) => row.map((it, j) => it + 3 * defs[i]![j]! + 5 * pathGrid[i]![j]!))
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
  const mean = (values: readonly number[]) => sum(values) / values.length
  const dfOf = (A: readonly number[][], j: number) => A.filter((row) => row[j]! > 0).length
  const IDF = (A: readonly number[][]) =>
    T.map((_, j) => {
      const df = dfOf(A, j)
      return df > 0 ? Math.log(1 + (N - df + 0.5) / (df + 0.5)) : 0
    })
  const bm = (
    A: readonly number[][],
    o: { len: number[]; w: number[]; b: number; idf?: number[] },
  ) => {
    const idf = o.idf ?? IDF(A)
    const avg = Math.max(mean(o.len), 1e-9)
    return A.map((row, i) => {
      const k = 1.2 * (1 - o.b + (o.b * o.len[i]!) / avg)
      return sum(row.map((it, j) => ((it * 2.2) / (it + k)) * idf[j]! * o.w[j]!))
    })
  }
  const len = docs.map((d) => d.L)
  const idf = IDF(bp)
  const total = Math.max(sum(idf.map((it, j) => it * qw[j]!)), 1e-9)
  const bm25f = bm(ff, { len, w: qw, b: 0.4 })
  const isSubject = T.map((t) => (subject.has(t) ? 1 : 0))
  const top = Math.max(...bm25f)
  const s = bm25f.map((it) => (top > 0 ? it / top : it))
  const folder = docs.map((d) =>
    d.path.includes("/") ? d.path.slice(0, d.path.lastIndexOf("/")) : "",
  )
  const order = s.map((_, i) => i).toSorted((a, b) => s[b]! - s[a]! || a - b)
  const best = order.slice(0, 30)
  const others = (i: number) =>
    docs.map((_, k) => k).filter((k) => k !== i && folder[k] === folder[i])
  const past: { c: number[]; l: number; fi: number[]; n: number }[] = []
  const H = docs.map(() => T.map(() => 0))
  const hl = docs.map(() => 0)
  const touch = docs.map(() => 0)
  let w = 1
  for (const { message, files: fs } of changes) {
    w *= 0.998
    if (fs.length === 0 || fs.length > 20) continue
    const fi = fs.map((f) => docs.findIndex((d) => d.path === f)).filter((i) => i >= 0)
    if (fi.length === 0) continue
    const mt = [...countMessageTerms(message).keys()]
    const c = mt.map((t) => T.indexOf(t)).filter((j) => j >= 0)
    past.push({ c, l: mt.length, fi, n: fs.length })
    for (const f of fi) {
      touch[f]! += w
      hl[f]! += mt.length / Math.sqrt(fs.length)
      for (const j of c) H[f]![j]! += 1 / Math.sqrt(fs.length)
    }
  }
  const cochg = docs.map((_, g) =>
    sum(
      order.slice(0, 12).map((f) => {
        const own = past.filter((it) => it.fi.includes(f))
        const both = own.filter((it) => f !== g && it.fi.includes(g)).length
        return (s[f]! ** 2 * both) / (own.length + 3)
      }),
    ),
  )
  const voters = past
    .map((it) => ({
      ...it,
      sc: sum(it.c.map((j) => idf[j]! * qw[j]!)) / (0.6 + (0.4 * Math.min(it.l, 60)) / 12),
    }))
    .filter((it) => it.sc > 0)
    .toSorted((a, b) => b.sc - a.sc)
    .slice(0, 40)
  const most = voters[0]?.sc ?? 0
  const baseOf = (p: string) => {
    const name = p.slice(p.lastIndexOf("/") + 1)
    return new Set(
      countTerms(name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : name).counts.keys(),
    )
  }
  return {
    bm25: bm(bp, { len, w: qw, b: 0.75 }),
    bm25f,
    defs: bm(defs, { len, w: qw, b: 0.3 }),
    path: docs.map(
      (d, i) =>
        sum(T.map((_, j) => pathGrid[i]![j]! * Math.log(1 + N / Math.max(dfOf(pathGrid, j), 1)))) /
        Math.sqrt(1 + d.pt.size),
    ),
    base: docs.map((d) => {
      const base = baseOf(d.path)
      return sum(T.map((t, j) => (base.has(t) ? idf[j]! : 0))) / Math.sqrt(Math.max(1, base.size))
    }),
    cover: bp.map((row) => sum(row.map((it, j) => (it > 0 ? idf[j]! * qw[j]! : 0))) / total),
    subj: isSubject.includes(1)
      ? bm(ff, { len, w: qw.map((it, j) => it * isSubject[j]!), b: 0.4 })
      : bm25f,
    dir: docs.map((_, i) =>
      Math.sqrt(sum(others(i).map((k) => s[k]! ** 2)) / Math.max(others(i).length, 1)),
    ),
    dirmax: docs.map((_, i) => {
      const speakers = best.filter((k) => folder[k] === folder[i]).map((k) => s[k]!)
      const [first = 0, second = 0] = speakers.toSorted((a, b) => b - a)
      return s[i]! >= first ? second : first
    }),
    loglen: len.map((it) => Math.log1p(it)),
    depth: docs.map((d) => d.path.split("/").length - 1),
    hist: bm(H, { len: hl, w: qw, b: 0.5, idf }),
    touch: touch.map((it) => Math.log1p(it)),
    cochg,
    msgvote: docs.map(
      (_, f) =>
        sum(voters.map((it) => (it.fi.includes(f) ? (it.sc / most) ** 2 / Math.sqrt(it.n) : 0))) *
        Math.min(1, most / total),
    ),
  }
}
