import { plural, type Source } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { SourcesParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { type DefinitionLine, DefinitionPage } from "../../ui/collection/definition-page.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Detail } from "./detail.tsx"
import { Requests } from "./requests.tsx"
import { useSources } from "./use-sources.ts"
import { ORIGINS, stateOf } from "./words.ts"

export function SourcesPage({ now, params, onParams }: PageProps<SourcesParams>) {
  const isReadOnly = useReadOnly()
  const query = useSources()
  const sources = query.data?.sources
  const { show } = params
  return (
    <DefinitionPage
      name="sources"
      title="Sources"
      noun="source"
      columns={{ name: "Source", use: "Description", origin: "Origin", state: "State" }}
      openKey="sources.open"
      query={query}
      params={params}
      onParams={onParams}
      above={<Requests now={now} isReadOnly={isReadOnly} />}
      empty={
        <Empty
          description="This page lists sources: servers and APIs whose tools pipelines and agents may call. Add the first one from a template:"
          command="qm source templates"
        />
      }
      linesOf={(data) => data.sources.map(lineOf)}
      foot={(_, count) =>
        `${plural(count, "source")}. Agents call one only after you switched it on for their session. Run qm source templates to add one from a template.`
      }
      detail={
        show === "" || sources === undefined ? null : (
          <Detail
            key={show}
            now={now}
            slug={show}
            source={sources.find((it) => it.slug === show)}
            isReadOnly={isReadOnly}
            onClose={() => onParams({ show: "" })}
          />
        )
      }
    />
  )
}

function lineOf(source: Source): DefinitionLine {
  const { slug, title, description, origin } = source
  const { mark, ...state } = stateOf(source)
  return {
    key: `${origin} ${slug}`,
    show: slug,
    mark,
    name: slug,
    title,
    description: description === "" ? title : description,
    origin: ORIGINS[origin],
    state,
  }
}
