import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { DataTable, freeText } from '@/ui/data-table'
import { DownloadIcon } from '@/ui/icons'
import type { ImportPreview } from './import-drawer'
import { importMessages } from './import-messages'

/** Every problem of the file: which row, which column, what stands there, and why it cannot be taken. */
export function BadRows({ found, onDownload }: { found: ImportPreview; onDownload: () => void }) {
  const m = useMessages(importMessages)
  const rows = found.bad.map((bad, at) => ({ ...bad, key: `${bad.row}.${bad.field}.${at}` }))
  return (
    <section className="kit-import-part">
      <div className="kit-import-head">
        <h3>{m.badRows}</h3>
        <Button size="small" icon={<DownloadIcon />} title={m.badFileHint} onClick={onDownload}>
          {m.badFile}
        </Button>
      </div>
      {found.badRows > rows.length && (
        <p className="sky-soft">{m.badShown(grouped(rows.length), grouped(found.badRows))}</p>
      )}
      <DataTable
        label={m.badRows}
        rows={rows}
        rowKey={(bad) => bad.key}
        empty={null}
        columns={[
          { key: 'row', title: m.row, align: 'end', render: (bad) => bad.row },
          { key: 'field', title: m.field, render: (bad) => bad.label },
          { key: 'value', title: m.value, ...freeText, render: (bad) => <span title={bad.value}>{bad.value}</span> },
          {
            key: 'message',
            title: m.reason,
            ...freeText,
            render: (bad) => <span title={bad.message}>{bad.message}</span>,
          },
        ]}
      />
    </section>
  )
}

/** The first rows as they were read, so that a shifted column is seen before it is imported. */
export function SampleRows(props: { found: ImportPreview; labels: Readonly<Record<string, string>> }) {
  const { found, labels } = props
  const m = useMessages(importMessages)
  const rows = found.sample.map((cells, at) => ({ key: String(at), cells }))
  return (
    <section className="kit-import-part">
      <h3>{m.sample}</h3>
      <DataTable
        label={m.sample}
        rows={rows}
        rowKey={(row) => row.key}
        empty={null}
        columns={found.columns.map((column, at) => ({
          key: column,
          title: labels[column] ?? column,
          ...freeText,
          render: (row: { cells: readonly string[] }) => <span title={row.cells[at]}>{row.cells[at]}</span>,
        }))}
      />
    </section>
  )
}
