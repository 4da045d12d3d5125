import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { setSearchSources } from '@/access/search-sources'
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
  setSearchSources([{ kind: 'clientUser', title: ['客户端用户', 'Client users'], need: 'clientUser:list' }])
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
