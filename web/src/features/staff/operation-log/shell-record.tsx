import { useCan } from '@/access/permissions'
import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { columnsOf } from '@/kit/list/columns'
import { ExportButton } from '@/kit/list/export-button'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { freeText } from '@/ui/data-table'
import { shellMessages } from './messages'

const filter = defineFilter({})
const c = columnsOf<RowOf<'shellRecordList'>>()

const columns = [
  c.number('id'),
  c.time('at'),
  c.number('bytes'),
  c.custom('text', (chunk) => <span className="sky-mono sky-typed">{chunk.text}</span>, freeText),
]

/** The record that a line of the log closes, if it closes one. */
export function shellOf(action: string, after: unknown): number | undefined {
  const seal = after as { shellId?: unknown } | null
  return action === 'card_shell_end' && typeof seal?.shellId === 'number' ? seal.shellId : undefined
}

/** What was typed, with a new line wherever Enter was pressed. */
export const typedText = (chunks: readonly { text: string }[]) =>
  chunks
    .map(({ text }) => text)
    .join('')
    .replace(/[\u240a\u240d]/g, (picture) => `${picture}\n`)

/** What was typed in a shell: together, and piece by piece as it arrived. */
export function ShellRecord({ id }: { id: number }) {
  const m = useMessages(shellMessages)
  const can = useCan()
  const list = useInnerList('shellRecordList', filter, { id })
  return (
    <div className="kit-inner">
      <div className="kit-detail-title">
        <span className="sky-soft">{m.hint}</span>
        <span className="kit-gap" />
        {can('operationLog:export') && (
          <ExportButton operation="shellRecordExport" filter={list.request} label={m.export} />
        )}
      </div>
      <section aria-label={m.together}>
        <pre className="sky-mono sky-typed">{typedText(list.rows)}</pre>
      </section>
      <ListTable messages={shellMessages} list={list} columns={columns} />
    </div>
  )
}
