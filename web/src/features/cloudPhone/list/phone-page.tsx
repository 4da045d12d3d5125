import { lazy, Suspense, startTransition, useState } from 'react'
import { Link } from 'react-router'
import { useOwnTitle } from '@/access/own-title'
import { useCan } from '@/access/permissions'
import type { DataOf } from '@/api/call'
import type { Code } from '@/api/codes'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { Facts } from '@/kit/detail/facts'
import { HISTORY_NEED, History, historyMessages } from '@/kit/detail/history'
import { Labels } from '@/kit/labels'
import { Loaded } from '@/kit/loaded'
import { ReferenceText } from '@/kit/reference/reference-text'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { Placeholder } from '@/ui/placeholder'
import { Tabs } from '@/ui/tabs'
import { clientUserPath } from '../../clientUser/links'
import { CardFiles, CardLink, CardScreen, roomPath } from '../../device/links'
import { BackupsOfPhone } from '../../storage/links'
import { connectState, life, plan, pool, sagaKind, sagaState, source, useType } from '../choices'
import { SessionsOf } from '../links'
import { actMessages } from './act-messages'
import { usePhoneActs } from './acts'
import { useLivePhones } from './live'
import { phoneMessages } from './phone-messages'
import { Sagas, Withheld } from './sagas'
import { Disk, Expiry, PhoneState } from './state'

const RulesOfPhone = lazy(() => import('../rules/of-phone'))
const Coverage = lazy(() => import('./coverage'))
const Edit = lazy(() => import('./edit'))

type Phone = DataOf<'phoneGet'>

/** What acts need that are about what is sold: for how long, what, and to be used or not. */
const ofTerm: ReadonlySet<Code> = new Set([
  'phone:renew',
  'phone:changePlan',
  'phone:freeze',
  'phone:thaw',
  'phone:release',
  'phone:restore',
])

/** One phone, as a page: where it is, what it is, and what was done to it. */
export default function PhonePage({ id }: { id: number }) {
  const m = useMessages(phoneMessages)
  const query = useApiQuery('phoneGet', { path: { id } }, { suppressNotice: true })
  const code = query.data?.code
  useOwnTitle(code === undefined ? undefined : [code, code])
  if (query.error && 'status' in query.error && query.error.status === 4004)
    return <Placeholder title={m.notFound} hint={m.notFoundHint} action={<ToPhones />} />
  return (
    <Labels messages={phoneMessages}>
      <Loaded query={query}>{(phone) => <Whole phone={phone} />}</Loaded>
    </Labels>
  )
}

function ToPhones() {
  const m = useMessages(phoneMessages)
  return (
    <Link className="sky-link" to="/cloudPhone/list">
      {m.toList}
    </Link>
  )
}

function Whole({ phone }: { phone: Phone }) {
  const m = useMessages(phoneMessages)
  const history = useMessages(historyMessages)
  const { edit: editLabel } = useMessages(actMessages)
  const can = useCan()
  const runner = useActions()
  const acts = usePhoneActs()
  useLivePhones()
  const [isEditing, setEditing] = useState(false)
  // The page stays as it is until the form is there.
  const edit = action(editLabel, { need: 'phone:update', run: () => startTransition(() => setEditing(true)) })
  // What is sold stands together, so that what is done to the phone itself stays in view.
  const inGroup = (act: Action) => (act.need && ofTerm.has(act.need) ? { ...act, group: m.termActs } : act)
  const all = phone.life === life.value.erased ? [] : [...acts.of(phone).map(inGroup), edit]
  const { card, onSince } = phone
  // Screen and files come by way of the card, and what is done to it.
  const seesCards = can('operation:list') && can('device:files')
  const parts = [
    { key: 'sagas', label: m.sagas, children: <Sagas phone={phone.id} /> },
    ...(card && seesCards && can('phone:screen')
      ? [
          {
            key: 'screen',
            label: m.screen,
            children: (
              <Suspense>
                <CardScreen id={card.id} name={phone.code} {...(onSince && { since: onSince })} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(card && seesCards && can('phone:files')
      ? [
          {
            key: 'files',
            label: m.files,
            children: (
              <Suspense>
                <CardFiles id={card.id} name={phone.code} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(can('phoneSession:list')
      ? [
          {
            key: 'sessions',
            label: m.sessions,
            children: (
              <Suspense>
                <SessionsOf phoneId={phone.id} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(can('backup:list')
      ? [
          {
            key: 'backups',
            label: m.backups,
            children: (
              <Suspense>
                <BackupsOfPhone phoneId={phone.id} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(card && can('phone:coverage')
      ? [
          {
            key: 'coverage',
            label: m.coverage,
            children: (
              <Suspense>
                <Coverage phone={phone.id} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(can('phoneRule:get')
      ? [
          {
            key: 'rules',
            label: m.heldRules,
            children: (
              <Suspense>
                <RulesOfPhone phone={phone} isErased={phone.life === life.value.erased} />
              </Suspense>
            ),
          },
        ]
      : []),
    ...(can(HISTORY_NEED)
      ? [{ key: 'log', label: history.title, children: <History of={{ kind: 'phone', id: phone.id }} /> }]
      : []),
  ]
  return (
    <section className="phone-page" aria-label={phone.code}>
      <header className="phone-head">
        <ToPhones />
        <span className="sky-soft">/</span>
        <h2 className="sky-mono">{phone.code}</h2>
        <PhoneState of={phone} />
        {phone.frozenReason && <span className="sky-soft">{phone.frozenReason}</span>}
        <span className="kit-gap" />
        <span className="kit-tools">
          <ActionButtons acts={all} runner={runner} target={phone.code} />
        </span>
      </header>
      <div className="phone-body">
        <div className="phone-main">
          <Where phone={phone} />
          <section className="phone-card" aria-label={m.happened}>
            <Tabs className="kit-tabs" items={parts} />
          </section>
        </div>
        <section className="phone-card" aria-label={m.profile}>
          <h3>{m.profile}</h3>
          <Profile phone={phone} />
        </section>
      </div>
      <Suspense>{isEditing && <Edit phone={phone} onClose={() => setEditing(false)} />}</Suspense>
      {acts.host}
      {runner.host}
    </section>
  )
}

/** Whether it is on a card, and on which, and who connects to it. */
function Where({ phone }: { phone: Phone }) {
  const m = useMessages(phoneMessages)
  const { card, connect, isBlank, underWay, withheld } = phone
  const { takeOff, lost } = sagaKind.value
  // One whose take-off is held goes on.
  const leaving = underWay?.state === sagaState.value.held ? m.whereOn : m.whereLeaving
  const said: Partial<Record<number, string>> = { [takeOff]: leaving, [lost]: m.whereLost }
  const onCard = (underWay && said[underWay.kind]) ?? m.whereOn
  return (
    <section className="phone-card" aria-label={m.where}>
      <h3>{m.where}</h3>
      <p className="phone-where">
        <ChoiceLabel choices={useType} value={phone.useType} />
        {card && <CardLink id={card.id} name={card.name ?? String(card.id)} />}
        <span className="sky-soft">{card ? onCard : isBlank ? m.whereBlank : m.whereOff}</span>
      </p>
      {card && phone.isGuaranteed && <p className="sky-soft">{m.guaranteed}</p>}
      {card && !phone.isGuaranteed && phone.pool === pool.value.dedicated && <p className="sky-soft">{m.onShared}</p>}
      {connect && (
        <p className="phone-where">
          <ChoiceLabel choices={connectState} value={connect.state} />
          <span className="sky-soft">{m.connectBy(connect.app.name ?? '')}</span>
          <TimeText at={connect.since} />
        </p>
      )}
      {withheld.map((app) => (
        <p key={app.package} className="phone-where">
          <Withheld of={app} />
        </p>
      ))}
    </section>
  )
}

/** Days bought in one piece from which on a phone is a year card, as the rules have it. */
const yearCard = 360

function Profile({ phone }: { phone: Phone }) {
  const m = useMessages(phoneMessages)
  const { term } = phone
  const facts = {
    user: (
      <>
        <ReferenceText of={phone.user} to={clientUserPath(phone.user.id)} />{' '}
        <span className="sky-mono">{phone.userPhone}</span>
      </>
    ),
    name: phone.name,
    plan: <ChoiceLabel choices={plan} value={phone.plan} />,
    board: <span className="sky-mono">{phone.board}</span>,
    room: <ReferenceText of={phone.room} to={roomPath(phone.room.id)} />,
    pool: <ChoiceLabel choices={pool} value={phone.pool} />,
    diskGb: <Disk of={phone} />,
    expiresAt: <Expiry of={phone} />,
    term: term === 0 ? '—' : term < yearCard ? m.termDays(term) : m.yearCard(term),
    life: <ChoiceLabel choices={life} value={phone.life} />,
    source: <ChoiceLabel choices={source} value={phone.source} />,
    image: <span className="sky-mono">{phone.image || '—'}</span>,
    lastUsedAt: <TimeText at={phone.lastUsedAt} />,
    lastBackupAt: <TimeText at={phone.lastBackupAt} />,
    createdAt: <TimeText at={phone.createdAt} />,
    remark: phone.remark,
  }
  // One below the other: the card is narrow.
  return <Facts wide={Object.keys(facts)} of={facts} />
}
