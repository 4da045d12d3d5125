import { lazy, type ReactNode, Suspense, useState } from 'react'
import { clearErrorLog, useErrorLog } from '@/access/error-log'
import { useCan } from '@/access/permissions'
import { useScreenTitle } from '@/access/titles'
import { notifySuccess } from '@/api/notices'
import { useMessages } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { Dialog } from '@/ui/dialog'
import '@/ui/page.css'
import '@/ui/dialog.css'
import './log.css'
import { messages } from '../log-messages'
import { ErrorTable, type LoggedError } from './error-table'

// Who sees only his own errors needs no list.
const ReportedErrors = lazy(() => import('./reported'))

type Scope = 'here' | 'everywhere'

/** Client-side errors: those that any browser reported, for whoever may see them, and those of this one. */
export default function ErrorLogPage() {
  const mayAll = useCan()('errorLog:list')
  const [scope, setScope] = useState<Scope>('everywhere')
  const choice = mayAll && <ScopeChoice scope={scope} onScope={setScope} />
  if (mayAll && scope === 'everywhere') {
    return (
      <Suspense>
        <ReportedErrors>{choice}</ReportedErrors>
      </Suspense>
    )
  }
  return <LocalErrors>{choice}</LocalErrors>
}

function ScopeChoice({ scope, onScope }: { scope: Scope; onScope: (scope: Scope) => void }) {
  const m = useMessages(messages)
  return (
    // biome-ignore lint/a11y/useSemanticElements: two toggle buttons are not a fieldset
    <div className="segments" role="group" aria-label={m.scope}>
      <button type="button" aria-pressed={scope === 'everywhere'} onClick={() => onScope('everywhere')}>
        {m.everyBrowser}
      </button>
      <button type="button" aria-pressed={scope === 'here'} onClick={() => onScope('here')}>
        {m.thisBrowser}
      </button>
    </div>
  )
}

/** What this browser remembers, whether it reached the server or not. */
function LocalErrors({ children }: { children: ReactNode }) {
  const m = useMessages(messages)
  const title = useScreenTitle()
  const errors = useErrorLog()
  const rows = errors.map((error, at): LoggedError => ({ ...error, key: error.time + at }))
  return (
    <section className="panel">
      <h2>{title}</h2>
      <p className="sky-soft">{m.logIntro}</p>
      <div className="toolbar error-toolbar">{children}</div>
      <ErrorTable rows={rows} />
      <ClearButton
        count={errors.length}
        question={m.clearQuestionLocal(errors.length)}
        onClear={async () => clearErrorLog()}
      />
    </section>
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
              {m.clear}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
