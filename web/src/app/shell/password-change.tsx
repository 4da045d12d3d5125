import { lazy, Suspense, useEffect } from 'react'
import { closePasswordChange, forcePasswordChange, usePasswordChange } from '@/access/password-change'
import { currentSession } from '@/access/session'
import { request } from '@/api/client'

const PasswordForm = lazy(() => import('@/features/general/password/form'))

/** Asks once whether the password must be changed now, and shows the dialog when it must or when somebody wants to. */
export function PasswordChange() {
  const { open, forced, reason } = usePasswordChange()

  // Asked when the shell appears, that is after signing in and after a reload.
  useEffect(() => {
    if (currentSession().token === '') return
    request('POST', '/api/user/v5/user/checkUpdatePsw', {}, { suppressNotice: true }).then(
      ({ data }) => {
        const answer = data as { needUpdate?: boolean; reason?: string | null } | null
        if (answer?.needUpdate) forcePasswordChange(answer.reason ?? '')
      },
      // Calls that need a new password say so themselves (4010).
      () => undefined,
    )
  }, [])

  if (!open) return null
  return (
    <Suspense fallback={null}>
      <PasswordForm forced={forced} reason={reason} onClose={closePasswordChange} />
    </Suspense>
  )
}
