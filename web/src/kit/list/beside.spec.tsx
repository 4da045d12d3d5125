import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RowOf } from '@/api/call'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, show } from '@/testing/render'
import { DetailDrawer } from '../detail/detail-drawer'
import { columnsOf } from './columns'
import { defineFilter } from './filter'
import { ListPage } from './list-page'
import { useList } from './use-list'

const server = fakeServer()
const messages = defineMessages({
  title: ['名单', 'People'],
  empty: ['还没有人', 'Nobody yet'],
  emptyHint: ['请新建', 'Create one'],
  fields: { name: ['姓名', 'Name'] },
})
type User = RowOf<'clientUserPage'>
const filter = defineFilter({})
const columns = [columnsOf<User>().detail('name')]
const all = ['甲', '乙', '丙', '丁', '戊'].map((name, at) => ({ id: at + 1, name }))

let hasRoom = true
const matchMedia = window.matchMedia
// jsdom has no layout: everything is in view there.
HTMLElement.prototype.checkVisibility ??= () => true

beforeEach(() => {
  window.matchMedia = (media) => Object.assign(matchMedia(media), { matches: hasRoom && media.includes('1360px') })
  server.use(
    http.post('*/api/user/v5/user/getPageUserInfo', async ({ request }) => {
      const { pageNum, pageSize } = (await request.json()) as { pageNum: number; pageSize: number }
      return good({ list: all.slice((pageNum - 1) * pageSize, pageNum * pageSize), total: all.length })
    }),
  )
})
afterEach(() => {
  hasRoom = true
  window.matchMedia = matchMedia
})

function Detail({ id, onClose }: { id: string; onClose: () => void }) {
  const person = all.find((each) => String(each.id) === id)
  return (
    <DetailDrawer
      messages={messages}
      query={{ data: person, error: null, refetch: vi.fn() }}
      title={({ name }) => `详情 ${name}`}
      name={({ name }) => name}
      tabs={({ name }) => [
        { key: 'profile', label: '资料', content: `${name}的资料` },
        { key: 'past', label: '往事', content: `${name}的往事` },
      ]}
      onClose={onClose}
    />
  )
}

function People() {
  const list = useList('clientUserPage', filter)
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      isDetailBeside
      detail={(id, close) => <Detail id={id} onClose={close} />}
    />
  )
}

it('stands beside the list, which stays in use, and walks through it on to the next page', async () => {
  const { user, router } = show(<People />, { at: '/?size=2&page=1' })
  await user.click(await screen.findByRole('link', { name: '甲' }))
  expect(await screen.findByRole('complementary', { name: '详情 甲' })).toHaveTextContent('1 / 5')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByRole('button', { name: /上一条/ })).toBeDisabled()

  await user.click(screen.getByRole('tab', { name: '往事' }))
  await user.keyboard('j')
  expect(await screen.findByRole('complementary', { name: '详情 乙' })).toHaveTextContent('乙的往事')
  expect(screen.getByRole('link', { name: '乙' }).closest('tr')).toHaveAttribute('aria-current', 'true')
  await user.click(screen.getByRole('button', { name: /下一条/ }))
  expect(await screen.findByRole('complementary', { name: '详情 丙' })).toHaveTextContent('3 / 5')
  await user.click(screen.getByRole('button', { name: /上一条/ }))
  expect(await screen.findByRole('complementary', { name: '详情 乙' })).toBeInTheDocument()
  await user.click(screen.getByRole('link', { name: '甲' }))
  expect(await screen.findByRole('complementary', { name: '详情 甲' })).toBeInTheDocument()

  await user.keyboard('{ArrowDown}')
  expect(await screen.findByRole('complementary', { name: '详情 乙' })).toBeInTheDocument()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull())
  expect(router.state.location.search).not.toContain('detail')
  expect(router.state.location.search).not.toContain('part')
})

it('lies over the list where the window has no room for both', async () => {
  hasRoom = false
  const { user } = show(<People />)
  await user.click(await screen.findByRole('link', { name: '甲' }))
  expect(await screen.findByRole('dialog')).toHaveTextContent('详情 甲')
  expect(screen.queryByRole('complementary')).toBeNull()
})
