import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel, choiceText } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { Labels } from '@/kit/labels'
import { Loaded } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { hookEvent, openState } from '../choices'
import { deliveriesPath } from '../links'
import { DeliveriesOfApp } from './deliveries/of-app'
// Not loaded when it is needed: the secret is told once, and a chunk may fail to come.
import { KeyDialog } from './key-dialog'
import { hookMessages } from './messages'

const Form = lazy(() => import('./webhook-form'))

type App = DataOf<'openAppGet'>
export type Hook = DataOf<'openHookGet'>

/** Where an application is told what happens, of what, and what it was told. */
export function Webhook({ app }: { app: App }) {
  const m = useMessages(hookMessages)
  const can = useCan()
  const query = useApiQuery('openHookGet', { path: { id: app.id } })
  const [editing, setEditing] = useState<Hook>()
  const [made, setMade] = useState<DataOf<'openHookRenew'>>()
  const runner = useActions()
  const acts = useHookActs(app, setEditing, setMade)
  return (
    <Labels messages={hookMessages}>
      <Loaded query={query}>
        {(hook) => (
          <>
            <p className="kit-tools">
              <ActionButtons acts={acts(hook)} runner={runner} target={app.name} />
            </p>
            <Overview hook={hook} />
          </>
        )}
      </Loaded>
      {can('openDelivery:list') && (
        <>
          <p>
            <Link className="sky-link" to={deliveriesPath(app.id)}>
              {m.all}
            </Link>
          </p>
          <DeliveriesOfApp appId={app.id} />
        </>
      )}
      {runner.host}
      <Suspense>{editing && <Form app={app} hook={editing} onClose={() => setEditing(undefined)} />}</Suspense>
      {made && <KeyDialog made={made} title={m.secretTitle} onClose={() => setMade(undefined)} />}
    </Labels>
  )
}

/** What may be done about it. */
function useHookActs(app: App, onEdit: (hook: Hook) => void, onSecret: (made: DataOf<'openHookRenew'>) => void) {
  const m = useMessages(hookMessages)
  const renew = useApiMutation('openHookRenew', { refresh: ['openHookGet'] })
  const test = useApiMutation('openHookTest', { refresh: ['openHookGet', 'openDeliveryList'] })
  const path = { id: app.id }
  return (hook: Hook) => [
    action(m.edit, { need: 'openHook:update', run: () => onEdit(hook) }),
    action(m.newSecret, {
      need: 'openHook:newSecret',
      confirm: m.newSecretQuestion,
      run: async () => {
        onSecret(await renew.mutateAsync({ path }))
        // The secret is in its dialog alone, and goes with that.
        renew.reset()
      },
    }),
    action(m.test, {
      need: 'openHook:test',
      blocked: app.enabled && hook.enabled ? undefined : m.isOff,
      done: m.tested,
      run: () => test.mutateAsync({ path }),
    }),
  ]
}

function Overview({ hook }: { hook: Hook }) {
  const m = useMessages(hookMessages)
  const { comma } = useMessages(kitMessages)
  const language = useLanguage()
  const events = hook.events.map((event) => choiceText(hookEvent, event, language)).join(comma)
  return (
    <Facts
      wide={['url', 'events', 'keyCode']}
      of={{
        url: hook.url ? <span className="sky-mono">{hook.url}</span> : m.none,
        events: events || m.none,
        keyCode: hook.keyCode ? <span className="sky-mono">{hook.keyCode}</span> : m.noSecret,
        enabled: <ChoiceLabel choices={openState} value={hook.enabled} />,
        updatedAt: <TimeText at={hook.updatedAt ?? null} />,
        pending: grouped(hook.pending),
        stuck: grouped(hook.stuck),
      }}
    />
  )
}
