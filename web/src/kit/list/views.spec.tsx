import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { setPreference } from '@/access/preferences'
import type { RowOf } from '@/api/call'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, show } from '@/testing/render'
import { copyText } from '@/ui/clipboard'
import { action } from '../action'
import { columnsOf } from './columns'
import { defineFilter, textParam } from './filter'
import { TextFilter } from './filters'
import { ListPage } from './list-page'
import { useList } from './use-list'
import type { SavedViews } from './views'

vi.mock('@/ui/clipboard', () => ({ copyText: vi.fn(async () => undefined) }))

const server = fakeServer()
const messages = defineMessages({
  title: ['名单', 'People'],
  empty: ['还没有人', 'Nobody yet'],
  emptyHint: ['请新建', 'Create one'],
  fields: {
    name: ['姓名', 'Name'],
    email: ['邮箱', 'Email'],
    keyWord: ['关键字', 'Key word'],
    phone: ['电话', 'Phone'],
  },
})
const filter = defineFilter({ keyWord: textParam(), phone: textParam() }, ['name'])
const c = columnsOf<RowOf<'clientUserPage'>>()
const columns = [c.detail('name'), c.text('email'), c.code('phone', { spare: true })]
const create = vi.fn()
const check = vi.fn()

function People() {
  return (
    <ListPage
      messages={messages}
      list={useList('clientUserPage', filter)}
      columns={columns}
      countsViews
      filters={<TextFilter name="keyWord" />}
      pageActions={[
        action('新建', { need: 'clientUser:create', run: () => create() }),
        action('校验', { need: 'clientUser:list', run: () => check() }),
      ]}
      bulkActions={() => []}
    />
  )
}

let rows: object[] = []
let asked: object[] = []
beforeEach(() => {
  rows = [{ id: 1, name: '张三' }]
  asked = []
  server.use(
    http.post('*/api/user/v5/user/getPageUserInfo', async ({ request }) => {
      asked.push((await request.json()) as object)
      return good({ list: rows, total: rows.length, pageNum: 1, pageSize: 20 })
    }),
  )
})

const tabs = () => within(screen.getByRole('navigation', { name: '视图' }))
const heading = (name: string) => screen.queryByRole('columnheader', { name })

async function saveAs(user: ReturnType<typeof show>['user'], name: string) {
  await user.click(screen.getByRole('button', { name: /存为视图/ }))
  await user.type(await screen.findByRole('textbox', { name: '视图名称' }), `${name}{Enter}`)
}

it('saves rows and columns under a name, and shows them again', async () => {
  const { user, router } = show(<People />, { at: '/?keyWord=a&sort=-name&cols=-email' })
  expect(await screen.findByText('张三')).toBeVisible()
  await saveAs(user, '早班')
  await waitFor(() => expect(router.state.location.search).toContain('view='))
  await user.click(tabs().getByRole('button', { name: '全部' }))
  await waitFor(() => expect(router.state.location.search).toBe(''))
  expect(heading('邮箱')).toBeVisible()
  await user.click(tabs().getByRole('button', { name: '早班' }))
  await waitFor(() => expect(heading('邮箱')).toBeNull())
  expect(Object.fromEntries(new URLSearchParams(router.state.location.search))).toEqual({
    view: '早班',
    keyWord: 'a',
    sort: '-name',
    cols: '-email',
    rows: 'standard',
  })
  expect(screen.queryByRole('img', { name: '已修改' })).toBeNull()
})

it('changes columns within a view there, and nowhere else', async () => {
  const { user, router } = show(<People />)
  expect(await screen.findByText('张三')).toBeVisible()
  await saveAs(user, '早班')
  await user.click(screen.getByRole('button', { name: '列' }))
  await user.click(await screen.findByRole('checkbox', { name: '邮箱' }))
  expect(await screen.findByRole('img', { name: '已修改' })).toBeVisible()
  await user.click(tabs().getByRole('button', { name: '全部' }))
  await waitFor(() => expect(router.state.location.search).toBe(''))
  expect(heading('邮箱')).toBeVisible()
})

it('takes no name twice', async () => {
  const { user } = show(<People />)
  expect(await screen.findByText('张三')).toBeVisible()
  await saveAs(user, '早班')
  await user.click(tabs().getByRole('button', { name: '全部' }))
  await saveAs(user, '早班')
  expect(await screen.findByRole('alert')).toHaveTextContent('已有同名视图')
  expect(tabs().getAllByRole('button', { name: '早班' })).toHaveLength(1)
})

it('shows a view of somebody else by its link, columns and all, and keeps it if one wants', async () => {
  const { user } = show(<People />, { at: '/?keyWord=b&cols=-email+phone&rows=roomy&view=夜班' })
  expect(await screen.findByText('张三')).toBeVisible()
  expect(asked).toEqual([expect.objectContaining({ keyWord: 'b' })])
  expect(heading('邮箱')).toBeNull()
  expect(heading('电话')).toBeVisible()
  await user.click(screen.getByRole('button', { name: '视图“夜班”的操作' }))
  await user.click(await screen.findByText('保存到我的视图'))
  await user.click(tabs().getByRole('button', { name: '全部' }))
  expect(await tabs().findByRole('button', { name: '夜班' })).toBeVisible()
})

it('copies a link with the columns even where they are as usual', async () => {
  const { user } = show(<People />, { at: '/?keyWord=b' })
  expect(await screen.findByText('张三')).toBeVisible()
  await user.click(screen.getByRole('button', { name: '复制链接' }))
  expect(copyText).toHaveBeenCalledExactlyOnceWith('http://localhost:3000/?keyWord=b&cols=*&rows=standard')
})

/** Opens the list once more, as the same person. */
function Reopened({ saved }: { saved: SavedViews }) {
  setPreference('clientUserPage.views', saved)
  return <People />
}

it('says how many rows each other view has, but of none that looks for words', async () => {
  const list = [
    { name: '电话', search: 'phone=139' },
    { name: '查找', search: 'keyWord=b' },
  ]
  show(<Reopened saved={{ list }} />)
  expect(await screen.findByText('张三')).toBeVisible()
  const tab = tabs().getByRole('button', { name: '电话' })
  expect(await within(tab).findByText('1')).toHaveAttribute('title', '1 条')
  expect(asked).toContainEqual({ phone: '139', pageNum: 1, pageSize: 1 })
  expect(JSON.stringify(asked)).not.toContain('keyWord')
})

it('opens with the default view, asks once, and lets one see all', async () => {
  const saved: SavedViews = { list: [{ name: '早班', search: 'keyWord=a&cols=*&rows=standard' }], first: '早班' }
  const { user, router } = show(<Reopened saved={saved} />)
  expect(await screen.findByText('张三')).toBeVisible()
  await waitFor(() => expect(router.state.location.search).toContain('keyWord=a'))
  expect(asked).toHaveLength(1)
  await user.click(tabs().getByRole('button', { name: '全部' }))
  await waitFor(() => expect(router.state.location.search).toBe(''))
  await waitFor(() => expect(asked.at(-1)).not.toHaveProperty('keyWord'))
})

it('leaves an address that asks for something alone, whatever the default view is', async () => {
  const saved: SavedViews = { list: [{ name: '早班', search: 'keyWord=a' }], first: '早班' }
  const { router } = show(<Reopened saved={saved} />, { at: '/?keyWord=z' })
  expect(await screen.findByText('张三')).toBeVisible()
  expect(asked).toEqual([expect.objectContaining({ keyWord: 'z' })])
  expect(router.state.location.search).toBe('?keyWord=z')
})

it('offers in an empty list what makes its first rows, and nothing else', async () => {
  rows = []
  const { user } = show(<People />)
  const place = (await screen.findByText('还没有人')).closest('.sky-placeholder') as HTMLElement
  expect(within(place).queryByRole('button', { name: /校验/ })).toBeNull()
  // antd parts two Chinese letters by a space.
  await user.click(within(place).getByRole('button', { name: /新\s?建/ }))
  expect(create).toHaveBeenCalledOnce()
})

it('names what a link has set without a field, and takes it back', async () => {
  const { user, router } = show(<People />, { at: '/?phone=138' })
  expect(await screen.findByText('张三')).toBeVisible()
  expect(document.querySelector('.kit-chip')).toHaveTextContent('电话 138')
  await user.click(screen.getByRole('button', { name: '取消筛选“电话”' }))
  await waitFor(() => expect(router.state.location.search).toBe(''))
})

it('gives the selection up at Escape', async () => {
  Object.assign(HTMLElement.prototype, { checkVisibility: () => true })
  const { user } = show(<People />)
  await user.click(await screen.findByRole('checkbox', { name: /选择 1/ }))
  expect(screen.getByText('已选 1 项')).toBeVisible()
  await user.keyboard('{Escape}')
  expect(screen.queryByText('已选 1 项')).toBeNull()
})
