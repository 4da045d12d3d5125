import { useState } from 'react'
import { currentSession } from '@/access/session'
import { leave } from '@/access/sign-out'
import { request } from '@/api/client'
import { useMessages } from '@/i18n/messages'
import { words } from '@/i18n/words'
import { Dialog } from '@/ui/dialog'
import { messages } from '../messages'

/** Tells the server, then forgets everything here. A server that cannot be reached must not keep anybody signed in. */
async function logOut() {
  if (currentSession().token !== '') {
    const signal = AbortSignal.timeout(3_000)
    await request('POST', '/api/user/v1/designjet/logout', {}, { suppressNotice: true, signal }).catch(() => undefined)
  }
  leave()
}

/** Asks before logging out. Cancelling says nothing. */
export function LogOutDialog({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const shared = useMessages(words)
  const [busy, setBusy] = useState(false)
  return (
    <Dialog title={shared.tips} onClose={onClose} role="alertdialog" width={380}>
      <p>{m.logOutQuestion}</p>
      <div className="shell-dialog-actions">
        <button type="button" className="plain-button" onClick={onClose}>
          {shared.cancel}
        </button>
        <button
          type="button"
          className="plain-button"
          data-primary
          disabled={busy}
          onClick={() => {
            setBusy(true)
            void logOut()
          }}
        >
          {shared.sure}
        </button>
      </div>
    </Dialog>
  )
}
