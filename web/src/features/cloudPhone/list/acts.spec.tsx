import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import type { RowOf } from '@/api/call'
import { fakeServer, good, show } from '@/testing/render'
import { life, sagaKind, sagaState, stepName, useType } from '../choices'
import { usePhoneActs } from './acts'

const server = fakeServer()

type Phone = RowOf<'phoneList'>
type Told = Pick<Phone, 'id' | 'life' | 'useType' | 'isBlank' | 'underWay'>
type UnderWay = NonNullable<Told['underWay']>

const { on, off } = useType.value
const { active, frozen, expired, released, erased } = life.value

/** What is done to a phone, and why it waits, if it does. */
const does = (kind: UnderWay['kind'], state: UnderWay['state'], step: UnderWay['step'], code = ''): Partial<Told> => ({
  underWay: { kind, state, step, code },
})

/** What is offered for a phone, each act with its question. */
function Offered(more: Partial<Told>) {
  const acts = usePhoneActs().of({ id: 1, life: active, useType: on, isBlank: false, underWay: null, ...more })
  return acts.map(({ label, confirm }) => (
    <p key={label} title={label}>
      {confirm}
    </p>
  ))
}

it.each([
  ['active', active],
  ['frozen', frozen],
  ['expired', expired],
  ['released', released],
])('one that is %s is taken off as long as it is on a card', (_, its) => {
  show(
    <>
      <Offered life={its} />
      <Offered life={its} useType={off} />
    </>,
  )
  expect(screen.getByTitle('下机')).toHaveTextContent('有其他云手机需要时清除其上的数据')
})

it('nothing is taken off while something is done to it, or when it is erased', () => {
  show(
    <>
      <Offered {...does(sagaKind.value.backUp, sagaState.value.running, stepName.value.copy)} />
      <Offered life={erased} useType={off} />
    </>,
  )
  expect(screen.getByTitle('续费')).toBeInTheDocument()
  expect(screen.queryByTitle('下机')).toBeNull()
  expect(screen.queryByTitle('上机')).toBeNull()
})

it('putting on one that was used says what comes back, and what does not', () => {
  show(<Offered useType={off} />)
  expect(screen.getByTitle('上机')).toHaveTextContent('恢复其保留副本中的应用和数据')
  expect(screen.getByTitle('上机')).toHaveTextContent('账号、密钥、DRM 和锁屏与板卡绑定，不会恢复')
})

it('one that was never used has nothing to come back', () => {
  show(<Offered useType={off} isBlank />)
  expect(screen.getByTitle('上机')).toHaveTextContent('在归属机房的空闲板卡上启动云手机')
  expect(screen.getByTitle('上机')).not.toHaveTextContent('保留副本')
})

it.each([
  ['waits', sagaState.value.waiting, true],
  ['is under way', sagaState.value.running, true],
  ['is held', sagaState.value.held, true],
  ['goes back already', sagaState.value.goingBack, false],
])('one whose take-off %s can or cannot be had back', (_, state, can) => {
  show(<Offered {...does(sagaKind.value.takeOff, state, stepName.value.copy)} />)
  if (can) expect(screen.getByTitle('上机')).toHaveTextContent('下机取消，云手机在原卡上恢复运行')
  else expect(screen.queryByTitle('上机')).toBeNull()
})

it.each([
  ['has a whole copy', 'card_lost', true, false],
  ['has none', 'card_lost_no_copy', false, true],
  ['has another card in its place', 'not_ours', true, true],
])('one whose card is lost and that %s is decided about', (_, code, goesOn, isGivenUp) => {
  show(<Offered {...does(sagaKind.value.lost, sagaState.value.held, stepName.value.decide, code)} />)
  expect(screen.queryByTitle('用备份恢复') !== null).toBe(goesOn)
  expect(screen.queryByTitle('放弃数据') !== null).toBe(isGivenUp)
  expect(screen.queryByTitle('下机')).toBeNull()
})

it('while an agent looks whether its card is back nobody decides', () => {
  show(<Offered {...does(sagaKind.value.lost, sagaState.value.running, stepName.value.start, 'card_lost')} />)
  expect(screen.queryByTitle('用备份恢复')).toBeNull()
})

/** A put-on whose copy is damaged, and which older one is on offer. */
const asked = {
  kind: sagaKind.value.putOn,
  state: sagaState.value.held,
  step: stepName.value.decide,
  code: 'older_copy',
  offer: { backupId: 3, copyAt: '2026-11-20T02:30:00Z' },
}

it('one whose copy is damaged comes with an older one, and is told of which time, and that the damaged one stays', () => {
  show(<Offered useType={off} underWay={asked} />)
  expect(screen.getByTitle('改用较早的备份')).toHaveTextContent('备份时间 2026-11-20')
  expect(screen.getByTitle('改用较早的备份')).toHaveTextContent('已损坏的备份原样保留')
  expect(screen.queryByTitle('上机')).toBeNull()
})

it('whoever lets a phone come with an older copy names the one that was shown', async () => {
  let sent: unknown
  server.use(
    http.post('*/api/phone/v1/phones/accept-copy', async ({ request }) => {
      sent = await request.json()
      return good({ id: 5, total: 1, succeeded: 1, finishedAt: '2026-11-28T02:30:00Z' })
    }),
  )
  function Accept() {
    const acts = usePhoneActs().of({ id: 1, life: active, useType: off, isBlank: false, underWay: asked })
    const accept = acts.find(({ label }) => label === '改用较早的备份')
    return (
      <button type="button" onClick={() => accept?.run({ reason: 'he said so' })}>
        go
      </button>
    )
  }
  const { user } = show(<Accept />)
  await user.click(screen.getByText('go'))
  await expect.poll(() => sent).toEqual({ selection: { ids: [1] }, reason: 'he said so', backupId: 3 })
})

it('one that waits for a card is asked about nothing', () => {
  const waits = does(sagaKind.value.putOn, sagaState.value.waiting, stepName.value.reserve, 'no_card')
  show(<Offered useType={off} {...waits} />)
  expect(screen.queryByTitle('改用较早的备份')).toBeNull()
})

/** How a phone stands, and whether it may be opened in another room. */
const places: readonly [string, Partial<Told>, boolean][] = [
  ['is on its card', {}, true],
  ['is off', { useType: off }, true],
  ['is released', { life: released }, true],
  ['is erased', { life: erased, useType: off }, false],
  ['waits for a card', does(sagaKind.value.putOn, sagaState.value.waiting, stepName.value.reserve), true],
  ['comes on a card', does(sagaKind.value.putOn, sagaState.value.running, stepName.value.boot), false],
  ['has lost its card', does(sagaKind.value.lost, sagaState.value.held, stepName.value.decide), true],
]

it.each(places)('one that %s is opened in another room, or not', (_, told, can) => {
  show(<Offered {...told} />)
  if (can) expect(screen.getByTitle('在其他机房打开')).toHaveTextContent('须由另一位操作员批准')
  else expect(screen.queryByTitle('在其他机房打开')).toBeNull()
})

/** What is offered for many, each act with its question; if they all wait for a person. */
function OfferedToMany({ areHeld = false }: { areHeld?: boolean }) {
  const acts = usePhoneActs().ofMany({ ids: [1, 2] }, areHeld)
  return acts.map(({ label, confirm }) => (
    <p key={label} title={label}>
      {confirm}
    </p>
  ))
}

it('opening many in another room says what stays on the old cards, and that it takes two', () => {
  show(<OfferedToMany />)
  expect(screen.getByTitle('在其他机房打开')).toHaveTextContent('备份之后写入的数据只在旧卡上')
  expect(screen.getByTitle('在其他机房打开')).toHaveTextContent('须由另一位操作员批准')
})

it('many that wait go on at once, and are told that nothing is wiped which is in no copy', () => {
  show(<OfferedToMany areHeld />)
  expect(screen.getByTitle('继续处理')).toHaveTextContent('先另行备份，校验无误后清除，备份不了则原样保留')
})

it('to those that do not wait it is not offered', () => {
  show(<OfferedToMany />)
  expect(screen.queryByTitle('继续处理')).toBeNull()
})
