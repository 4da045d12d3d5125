import { lazy, Suspense, useState } from 'react'
import { notifySuccess } from '@/api/notices'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { Loaded } from '@/kit/loaded'
import { useActions } from '@/kit/use-actions'
import { StatusTag } from '@/ui/status-tag'
import { securityMessages } from './messages'
import { SecurityRow } from './security-row'

const LinkDialog = lazy(() => import('./link-dialog'))

/** The linked account at a provider: linking and unlinking it. */
export function OpenId() {
  const m = useMessages(securityMessages)
  const query = useApiQuery('openidLinkGet', {}, { suppressNotice: true })
  const { data: providers = [] } = useApiQuery('openidProviderList', {}, { suppressNotice: true })
  const unlink = useApiMutation('openidUnlink', { refresh: ['openidLinkGet', 'ownActList'] })
  const runner = useActions()
  const [isLinking, setLinking] = useState(false)
  const nameOf = (id: string) => providers.find((provider) => provider.id === id)?.name ?? id

  function finish() {
    setLinking(false)
    notifySuccess(m.linked)
    void query.refetch()
  }

  const actsOf = (linked: string | null | undefined) => {
    if (linked)
      return [danger(m.unlink, { confirm: m.unlinkQuestion(nameOf(linked)), run: () => unlink.mutateAsync({}) })]
    return providers.length > 0 ? [action(m.link, { run: () => setLinking(true) })] : []
  }

  return (
    <>
      <Loaded query={query}>
        {({ providerId }) => (
          <SecurityRow
            title={m.openId}
            state={
              providerId ? (
                <StatusTag tone="good">{m.linkedTo(nameOf(providerId))}</StatusTag>
              ) : (
                <StatusTag tone="muted">{m.notLinked}</StatusTag>
              )
            }
            hint={providerId || providers.length > 0 ? m.openIdHint : m.openIdNone}
            acts={<ActionButtons acts={actsOf(providerId)} runner={runner} size="small" />}
          />
        )}
      </Loaded>
      {runner.host}
      <Suspense>
        {isLinking && <LinkDialog providers={providers} onLinked={finish} onClose={() => setLinking(false)} />}
      </Suspense>
    </>
  )
}
