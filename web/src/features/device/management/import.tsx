import type { DataOf } from '@/api/call'
import { defineMessages, useMessages } from '@/i18n/messages'
import { kitMessages } from '@/kit/messages'
import { ImportDrawer, type ImportPreview } from '@/kit/upload/import-drawer'
import { grouped } from '@/rules/format'
import { DataTable, freeText } from '@/ui/data-table'
import { messages } from './messages'

type Found = DataOf<'cardImportPreview'>

const columns = [
  'room',
  'frame',
  'host',
  'slot',
  'position',
  'intranetIp',
  'adbPort',
  'extranetIp',
  'extranetPort',
  'serial',
  'manufacturer',
  'model',
  'board',
  'size',
  'isAssignable',
  'isOvercommit',
  'remark',
]

const texts = defineMessages({
  summary: (fresh: string, changed: string, same: string) => [
    `新增 ${fresh} 张，变更 ${changed} 张，${same} 张没有变化`,
    `New: ${fresh}, changed: ${changed}, unchanged: ${same}`,
  ],
  changes: ['将要变更的内容', 'Changes to be made'],
  row: ['行', 'Row'],
  field: ['字段', 'Field'],
  from: ['原值', 'From'],
  to: ['新值', 'To'],
})

/** Imports cards from a spreadsheet, after showing what would change. */
export default function CardImport({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  return (
    <ImportDrawer
      title={m.importTitle}
      messages={messages}
      calls="cardImport"
      columns={columns}
      read={(answer) => usual(answer as Found)}
      more={(answer) => <Difference found={answer as Found} />}
      onClose={onClose}
    />
  )
}

const usual = ({ newRows, changedRows, ...found }: Found): ImportPreview => ({
  ...found,
  goodRows: newRows + changedRows,
  sample: [],
})

function Difference({ found }: { found: Found }) {
  const m = useMessages(texts)
  const labels = useMessages(messages).fields as Readonly<Record<string, string>>
  const k = useMessages(kitMessages)
  const shown = (field: string, value: string) => {
    const isFlag = field === 'isAssignable' || field === 'isOvercommit'
    const text = isFlag ? (value === 'true' ? k.yes : k.no) : value
    return <span title={text}>{text}</span>
  }
  const rows = found.changes.flatMap(({ row, fields }) =>
    fields.map(({ field, from, to }) => ({ key: `${row}.${field}`, row, field, from, to })),
  )
  const same = found.totalRows - found.newRows - found.changedRows - found.badRows
  return (
    <>
      <p>{m.summary(grouped(found.newRows), grouped(found.changedRows), grouped(same))}</p>
      {rows.length > 0 && (
        <section className="kit-import-part">
          <h3>{m.changes}</h3>
          <DataTable
            label={m.changes}
            rows={rows}
            rowKey={(change) => change.key}
            empty={null}
            columns={[
              { key: 'row', title: m.row, align: 'end', render: (change) => change.row },
              {
                key: 'field',
                title: m.field,
                render: (change) => labels[change.field] ?? change.field,
              },
              { key: 'from', title: m.from, ...freeText, render: (change) => shown(change.field, change.from) },
              { key: 'to', title: m.to, ...freeText, render: (change) => shown(change.field, change.to) },
            ]}
          />
        </section>
      )}
    </>
  )
}
