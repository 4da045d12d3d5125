import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { NoticeBell } from './notice-bell'

const server = fakeServer()
const marked = vi.fn()
let readUpTo = 0

const notice = (id: number, title: string) => ({
  id,
  kind: 7,
  title,
  at: '2026-11-22T01:00:00Z',
  by: 'boss',
  ip: '10.0.0.7',
  detail: '',
  read: id <= readUpTo,
})

// jsdom knows no modal dialogs.
beforeAll(() => {
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true
  }
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false
  }
})

beforeEach(() => {
  marked.mockReset()
  readUpTo = 4
  server.use(
    http.get('*/api/user/v1/me/notices', () => {
      const list = [notice(6, '绑定了第三方账号'), notice(5, '您的登录密码被重置'), notice(4, '恢复码已更换')]
      return good({ unread: list.filter(({ read }) => !read).length, list })
    }),
    http.post('*/api/user/v1/me/notices/read', async ({ request }) => {
      const body = (await request.json()) as { upTo: number }
      marked(body)
      readUpTo = body.upTo
      return good(null)
    }),
  )
})

it('says how many are new, lists them all, and marks as read what was on screen', async () => {
  const { user } = show(<NoticeBell />)
  await user.click(await screen.findByRole('button', { name: '账号通知，2 条未读' }))
  const items = screen.getAllByRole('listitem')
  expect(items.map((item) => within(item).queryByText('未读') !== null)).toEqual([true, true, false])
  expect(items[0]).toHaveTextContent('绑定了第三方账号')
  expect(items[0]).toHaveTextContent('boss · 10.0.0.7')
  await user.click(screen.getByRole('button', { name: '全部标为已读' }))
  expect(await screen.findByRole('button', { name: '账号通知' })).toBeInTheDocument()
  expect(marked).toHaveBeenCalledExactlyOnceWith({ upTo: 6 })
  await waitFor(() => expect(screen.queryByRole('button', { name: '全部标为已读' })).not.toBeInTheDocument())
})

it('looks again when the person goes somewhere, and not by the clock', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { router } = show(<NoticeBell />)
    await screen.findByRole('button', { name: '账号通知，2 条未读' })
    readUpTo = 5
    vi.setSystemTime(Date.now() + 31_000)
    expect(screen.getByRole('button', { name: '账号通知，2 条未读' })).toBeInTheDocument()
    await router.navigate('/elsewhere')
    expect(await screen.findByRole('button', { name: '账号通知，1 条未读' })).toBeInTheDocument()
  } finally {
    vi.useRealTimers()
  }
})
