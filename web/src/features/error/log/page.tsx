import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ClientError, clearErrorLog, useErrorLog } from '@/access/error-log'
import { useCan } from '@/access/permissions'
import { request } from '@/api/client'
import { notifySuccess } from '@/api/notices'
import { useMessages } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { Dialog } from '@/ui/dialog'
import '@/ui/page.css'
import '@/ui/dialog.css'
import './log.css'
import { messages } from '../messages'
import { ErrorTable, type LoggedError } from './error-table'

const pageSize = 20

interface ReportedPage {
  list: (Omit<ClientError, 'time'> & { id: string; createTime: string; username?: string; browser?: string })[]
  total: number
}

type Scope = 'here' | 'everywhere'

/** Client-side errors: those of this browser, and those that other browsers reported. */
export default function ErrorLogPage() {
  const m = useMessages(messages)
  const may = useCan()
  const [scope, setScope] = useState<Scope>('here')
  return (
    <section className="panel">
      <h2>{m.logTitle}</h2>
      <p className="sky-soft">{m.logIntro}</p>
      <div className="toolbar error-toolbar">
        {may('errorLog:list') && (
          // biome-ignore lint/a11y/useSemanticElements: two toggle buttons are not a fieldset
          <div className="segments" role="group" aria-label={m.scope}>
            <button type="button" aria-pressed={scope === 'here'} onClick={() => setScope('here')}>
              {m.thisBrowser}
            </button>
            <button type="button" aria-pressed={scope === 'everywhere'} onClick={() => setScope('everywhere')}>
              {m.everyBrowser}
            </button>
          </div>
        )}
      </div>
      {scope === 'here' ? <LocalErrors /> : <ReportedErrors />}
    </section>
  )
}

function LocalErrors() {
  const m = useMessages(messages)
  const errors = useErrorLog()
  const rows = errors.map((error, at): LoggedError => ({ ...error, key: error.time + at }))
  return (
    <>
      <ErrorTable rows={rows} />
      <ClearButton
        count={errors.length}
        question={m.clearQuestionLocal(errors.length)}
        onClear={async () => clearErrorLog()}
      />
    </>
  )
}

function ReportedErrors() {
  const m = useMessages(messages)
  const may = useCan()
  const client = useQueryClient()
  const [pageNum, setPageNum] = useState(1)
  const page = useQuery({
    queryKey: ['clientErrors', pageNum],
    queryFn: async ({ signal }) =>
      (await request('GET', '/api/general/v1/client-errors', { query: { pageNum, pageSize } }, { signal }))
        .data as ReportedPage,
    placeholderData: (before) => before,
  })
  if (page.isPending) return <p role="status">…</p>
  if (page.isError) {
    return (
      <p>
        {m.failed}{' '}
        <button type="button" className="sky-link" onClick={() => void page.refetch()}>
          {m.retry}
        </button>
      </p>
    )
  }
  const { list, total } = page.data
  const last = Math.max(1, Math.ceil(total / pageSize))
  const rows = list.map((error): LoggedError => ({ ...error, key: String(error.id), time: error.createTime }))

  async function clear() {
    await request('DELETE', '/api/general/v1/client-errors')
    setPageNum(1)
    await client.invalidateQueries({ queryKey: ['clientErrors'] })
  }

  return (
    <>
      <ErrorTable rows={rows} reported />
      <div className="toolbar error-foot">
        {may('errorLog:clear') && <ClearButton count={total} question={m.clearQuestionAll(total)} onClear={clear} />}
        {total > 0 && <span className="sky-soft">{m.total(total)}</span>}
        {last > 1 && (
          <>
            <button
              type="button"
              className="plain-button"
              disabled={pageNum <= 1}
              onClick={() => setPageNum(pageNum - 1)}
            >
              {m.previous}
            </button>
            <span>
              {pageNum} / {last}
            </span>
            <button
              type="button"
              className="plain-button"
              disabled={pageNum >= last}
              onClick={() => setPageNum(pageNum + 1)}
            >
              {m.next}
            </button>
          </>
        )}
      </div>
    </>
  )
}

interface ClearButtonProps {
  count: number
  question: string
  onClear: () => Promise<void>
}

function ClearButton({ count, question, onClear }: ClearButtonProps) {
  const m = useMessages(messages)
  const shared = useMessages(words)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  if (count === 0) return null

  async function clear() {
    setBusy(true)
    try {
      await onClear()
      notifySuccess(m.cleared)
    } finally {
      setBusy(false)
      setAsking(false)
    }
  }

  return (
    <>
      <button type="button" className="plain-button" onClick={() => setAsking(true)}>
        {m.clear}
      </button>
      {asking && (
        <Dialog title={shared.tips} role="alertdialog" width={380} onClose={() => setAsking(false)}>
          <p>{question}</p>
          <div className="shell-dialog-actions">
            <button type="button" className="plain-button" onClick={() => setAsking(false)}>
              {shared.cancel}
            </button>
            <button type="button" className="plain-button" data-primary disabled={busy} onClick={() => void clear()}>
              {shared.sure}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
