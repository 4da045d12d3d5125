import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { QuickSearch } from './quick-search'

const server = fakeServer()
const onClose = vi.fn()
const asked: (string | null)[] = []

// jsdom has dialogs that cannot be opened.
HTMLDialogElement.prototype.showModal ??= function showModal() {
  this.open = true
}
HTMLDialogElement.prototype.close ??= function close() {
  this.open = false
}
HTMLElement.prototype.scrollIntoView ??= () => undefined

beforeEach(() => {
  onClose.mockReset()
  asked.length = 0
  server.use(
    http.get('*/api/general/v1/search', ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('q'))
      return good([
        { kind: 'clientUser', id: '7', title: '张三', subtitle: '13800000007', path: '/clientUser?detail=7' },
        { kind: 'clientUser', id: '8', title: '张三丰', subtitle: '13800000008', path: '/clientUser?detail=8' },
        { kind: 'newer', id: '1', title: '未知', subtitle: '', path: '/x' },
      ])
    }),
  )
})

it('finds things as well as screens, once typing rests, and opens the chosen one', async () => {
  const { user, router } = show(<QuickSearch onClose={onClose} />, { rights: ['clientUser:list'] })
  await user.type(screen.getByRole('combobox'), '张三')
  expect(await screen.findByRole('group', { name: '客户端用户' })).toBeInTheDocument()
  expect(asked).toEqual(['张三'])
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
    '张三13800000007',
    '张三丰13800000008',
  ])
  await user.keyboard('{ArrowDown}{Enter}')
  expect(onClose).toHaveBeenCalledOnce()
  await waitFor(() => expect(router.state.location.search).toBe('?detail=8'))
})

it('says of somebody who is disabled who did it, when and why', async () => {
  const by = { label: '已禁用', by: 'alice', at: '2026-11-20T08:00:00Z', reason: '恶意退款' }
  const hit = { kind: 'clientUser', subtitle: '', path: '/x' }
  server.use(
    http.get('*/api/general/v1/search', () =>
      good([
        { ...hit, id: '7', title: '张三', state: by },
        // Whoever may not read the log.
        { ...hit, id: '8', title: '张三丰', state: { ...by, by: '', at: null, reason: '' } },
        { ...hit, id: '9', title: '张三三', state: null },
      ]),
    ),
  )
  const { user } = show(<QuickSearch onClose={onClose} />, { rights: ['clientUser:list'] })
  await user.type(screen.getByRole('combobox'), '张三')
  await screen.findByRole('group', { name: '客户端用户' })
  const said = screen.getAllByRole('option').map((option) => option.querySelector('.quick-state')?.textContent)
  expect(said).toEqual([
    expect.stringMatching(/^已禁用 · alice · 2026-11-20 \d\d:00:00 · 恶意退款$/),
    '已禁用',
    undefined,
  ])
})

it('asks nothing for one character', async () => {
  const { user } = show(<QuickSearch onClose={onClose} />, { rights: ['clientUser:list'] })
  await user.type(screen.getByRole('combobox'), '张')
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(asked).toEqual([])
})

it('asks nothing for somebody who may not look at anything that it finds', async () => {
  const { user } = show(<QuickSearch onClose={onClose} />, { rights: ['group:list'] })
  await user.type(screen.getByRole('combobox'), '张三')
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(asked).toEqual([])
})

it('offers the acts that this person may begin, on what has the very name', async () => {
  server.use(
    http.get('*/api/general/v1/search', () =>
      good([
        { kind: 'frame', id: '3', title: 'S01', subtitle: '杭州', path: '/f3' },
        { kind: 'frame', id: '4', title: 'S01-B', subtitle: '杭州', path: '/f4' },
      ]),
    ),
  )
  const onBegin = vi.fn()
  const { user, router } = show(<QuickSearch onClose={onClose} onBegin={onBegin} />, {
    rights: ['room:list', 'device:power'],
  })
  await user.type(screen.getByRole('combobox'), 's01')
  const acts = await screen.findByRole('group', { name: '操作' })
  expect([...acts.querySelectorAll('[role=option]')].map((act) => act.textContent)).toEqual(['断电重启S01 · 杭州'])
  await user.click(screen.getByRole('option', { name: /断电重启/ }))
  expect(onBegin).toHaveBeenCalledWith(expect.objectContaining({ id: 3, target: 'S01 · 杭州' }))
  expect(onClose).toHaveBeenCalledOnce()
  expect(router.state.location.pathname).not.toBe('/f3')
})
