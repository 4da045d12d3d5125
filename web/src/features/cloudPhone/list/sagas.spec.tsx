import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { sagaKind, sagaState, stepName } from '../choices'
import { Sagas } from './sagas'

const server = fakeServer()

/** A put-on in a state, with a copy of this time; or something else. */
function shown(
  state: number,
  code: string,
  other: { kind?: number; retryAt?: string; words?: string; withheld?: object[]; backToAt?: string } = {},
) {
  const saga = {
    id: 7,
    kind: sagaKind.value.putOn,
    state,
    step: stepName.value.decide,
    code,
    words: '保留的备份已损坏',
    copyAt: '2026-11-20T02:30:00Z',
    cause: null,
    createdBy: 'admin',
    enqueuedAt: '2026-11-28T02:30:00Z',
    retryAt: null,
    endedAt: null,
    withheld: [] as object[],
    steps: [],
    ...other,
  }
  server.use(http.get('*/api/phone/v1/phones/1/sagas', () => good([saga])))
  return show(<Sagas phone={1} />)
}

it('a put-on whose copy is damaged says of which time the older one is, and can be cancelled', async () => {
  let cancelled = 0
  server.use(
    http.post('*/api/phone/v1/sagas/7/cancel', () => {
      cancelled += 1
      return good(null)
    }),
  )
  const { user } = shown(sagaState.value.held, 'older_copy')
  expect(await screen.findByText(/备份时间/)).toHaveTextContent('2026-11-20')
  await user.click(screen.getByRole('button', { name: '取消上机' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByText('云手机不上机，保持下机；备份不变')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: '取消上机' }))
  await expect.poll(() => cancelled).toBe(1)
})

it('one that waits for a card offers neither', async () => {
  shown(sagaState.value.waiting, 'no_card')
  expect(await screen.findByText('保留的备份已损坏')).toBeVisible()
  expect(screen.queryByText('取消上机')).toBeNull()
  expect(screen.queryByText(/备份时间/)).toBeNull()
})

it('a take-off says with the backup of which time its phone comes back', async () => {
  shown(sagaState.value.running, '', { kind: sagaKind.value.takeOff, backToAt: '2026-11-19T02:30:00Z' })
  expect(await screen.findByText(/随后用此时的备份上机/)).toHaveTextContent('2026-11-19')
})

it('a take-off that is held says when it is tried again, and can be cancelled', async () => {
  let stays = 0
  server.use(
    http.post('*/api/phone/v1/sagas/7/stay', () => {
      stays += 1
      return good(null)
    }),
  )
  const other = { kind: sagaKind.value.takeOff, retryAt: '2026-11-28T03:30:00Z' }
  const { user } = shown(sagaState.value.held, 'store_unreachable', other)
  expect(await screen.findByText(/自动重试/)).toHaveTextContent('2026-11-28')
  await user.click(screen.getByRole('button', { name: '取消下机' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: '取消下机' }))
  await expect.poll(() => stays).toBe(1)
})

/** A clearing that is held; what is on its card may be in no copy, or is not of interest. */
function left(isQuarantined: boolean, rights = ['admin']) {
  const saga = {
    id: 8,
    kind: sagaKind.value.clear,
    state: sagaState.value.held,
    step: stepName.value.wipe,
    code: 'apps_ran',
    words: '应用已运行',
    copyAt: null,
    cause: null,
    createdBy: '',
    enqueuedAt: '2026-11-28T02:30:00Z',
    retryAt: null,
    endedAt: null,
    isQuarantined,
    withheld: [] as object[],
    steps: [],
  }
  server.use(http.get('*/api/phone/v1/phones/1/sagas', () => good([saga])))
  return show(<Sagas phone={1} />, { rights })
}

it('what may be in no copy is copied by the word of one, and wiped as it is by two', async () => {
  const { user } = left(true)
  expect(await screen.findByRole('button', { name: '不备份清除隔离数据' })).toBeVisible()
  await user.click(screen.getByRole('button', { name: '继续处理' }))
  expect(within(await screen.findByRole('dialog')).getByText(/先把上面的数据另行备份/)).toBeVisible()
})

it('what nobody needs offers no second way', async () => {
  left(false)
  expect(await screen.findByRole('button', { name: '继续处理' })).toBeVisible()
  expect(screen.queryByRole('button', { name: '不备份清除隔离数据' })).toBeNull()
})

it('who may wipe what is left and nothing else is offered that alone', async () => {
  left(true, ['phone:wipeLeft'])
  expect(await screen.findByRole('button', { name: '不备份清除隔离数据' })).toBeVisible()
  expect(screen.queryByRole('button', { name: '继续处理' })).toBeNull()
})

it('a put-on names the apps that did not come since they are forbidden, and until when they are kept', async () => {
  const game = { package: 'com.example.game', name: '小游戏', backupId: 5, keptUntil: '2026-12-28T02:30:00Z' }
  const never = { ...game, package: 'com.example.never', name: '连点器', keptUntil: null }
  shown(sagaState.value.done, '', { words: '', withheld: [game, never] })
  expect(await screen.findByText('应用“小游戏”已被禁止，上机时未恢复')).toHaveAttribute('title', 'com.example.game')
  expect(screen.getByText('应用“连点器”已被禁止，上机时未恢复')).toBeVisible()
  expect(screen.getAllByText(/数据在备份中保留至/)).toHaveLength(1)
  expect(screen.getByRole('link')).toHaveAttribute('href', '/storage/backup?detail=5')
})
