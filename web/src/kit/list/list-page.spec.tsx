import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import type { RowOf } from '@/api/call'
import { connectNotices } from '@/api/notices'
import { saveFile } from '@/api/save-file'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, refused, show } from '@/testing/render'
import { action, danger } from '../action'
import { defineChoices } from '../choices'
import { columnsOf } from './columns'
import { choiceParam, defineFilter, textParam } from './filter'
import { ChoiceFilter, TextFilter } from './filters'
import { ListPage, type ListPageProps } from './list-page'
import { useList } from './use-list'

vi.mock('@/api/save-file')

const server = fakeServer()
const address = '*/api/user/v5/user/getPageUserInfo'
const status = defineChoices({
  active: { value: 1, label: ['正常', 'Active'], tone: 'good' },
  disabled: { value: 2, label: ['禁用', 'Disabled'], tone: 'bad' },
})
const messages = defineMessages({
  title: ['名单', 'People'],
  empty: ['还没有人', 'Nobody yet'],
  emptyHint: ['请新建', 'Create one'],
  fields: {
    name: ['姓名', 'Name'],
    status: ['状态', 'Status'],
    keyWord: ['关键字', 'Key word'],
    email: ['邮箱', 'Email'],
    'counts.total': ['总数', 'Total'],
  },
})
type User = RowOf<'clientUserPage'>
const filter = defineFilter({ keyWord: textParam(), status: choiceParam(status) }, ['name'])
const c = columnsOf<User>()
const columns = [
  c.detail('name'),
  c.choice('status', status),
  c.text('email', { spare: true }),
  c.custom('counts.total', ({ id }) => `#${id}`),
]
const people = [
  { id: 1, name: '张三', status: 1, email: 'a@b.c' },
  { id: 2, name: '李四', status: 2, email: 'd@e.f' },
]

const disable = vi.fn()
const edit = vi.fn()

function People(props: Pick<ListPageProps<User>, 'detail' | 'pageActions' | 'start'>) {
  const list = useList('clientUserPage', filter)
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      nameOf={(user) => user.name}
      filters={
        <>
          <TextFilter name="keyWord" />
          <ChoiceFilter name="status" choices={status} />
        </>
      }
      rowActions={(user) => [
        action('编辑', { need: 'clientUser:update', run: () => edit(user.id) }),
        danger('禁用', {
          need: 'clientUser:disable',
          blocked: user.status === 2 ? '已经禁用' : undefined,
          confirm: '禁用后不能登录',
          run: () => disable({ ids: [user.id] }),
        }),
      ]}
      bulkActions={({ selection }) => [
        danger('批量禁用', { need: 'clientUser:disable', run: () => disable(selection) }),
      ]}
      exports={{ operation: 'clientUserExport', need: 'clientUser:export' }}
      {...props}
    />
  )
}

/** Answers the list and remembers what was asked. */
function answer(list: object[], total = list.length) {
  const asked: unknown[] = []
  server.use(
    http.post(address, async ({ request }) => {
      asked.push(await request.json())
      return good({ list, total, pageNum: 1, pageSize: 20 })
    }),
  )
  return asked
}

beforeEach(() => {
  disable.mockReset().mockResolvedValue({ changed: 1 })
  edit.mockReset()
})

it('asks for what the address says', async () => {
  const asked = answer(people)
  show(<People />, { at: '/?status=2&page=2&size=50&sort=-name&keyWord=abc' })
  expect(await screen.findByText('张三')).toBeVisible()
  expect(asked).toEqual([{ keyWord: 'abc', status: 2, sort: 'name', order: 'desc', pageNum: 2, pageSize: 50 }])
})

it('writes typing and sorting into the address, and begins at the first page again', async () => {
  const asked = answer(people)
  const { router, user } = show(<People />, { at: '/?page=3' })
  await user.type(await screen.findByRole('searchbox', { name: '关键字' }), '  ab ')
  await waitFor(() => expect(router.state.location.search).toBe('?keyWord=ab'))
  await user.click(screen.getByRole('button', { name: '姓名' }))
  await waitFor(() => expect(router.state.location.search).toBe('?keyWord=ab&sort=name'))
  expect(screen.getByRole('columnheader', { name: '姓名' })).toHaveAttribute('aria-sort', 'ascending')
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ keyWord: 'ab', sort: 'name', order: 'asc', pageNum: 1 }))
})

it('tells an empty list from a filter that matches nothing', async () => {
  answer([])
  const { user, router } = show(<People />, { at: '/?keyWord=zzz' })
  expect(await screen.findByText('没有符合条件的数据')).toBeVisible()
  await user.click(screen.getAllByRole('button', { name: '清除筛选' })[0] as HTMLElement)
  expect(await screen.findByText('还没有人')).toBeVisible()
  expect(router.state.location.search).toBe('')
})

it('says why loading failed, and tries again', async () => {
  server.use(http.post(address, () => refused(500, 5000, '出错了，编号 42'), { once: true }))
  const { user } = show(<People />)
  expect(await screen.findByText('出错了，编号 42')).toBeVisible()
  answer(people)
  await user.click(screen.getByRole('button', { name: '重试' }))
  expect(await screen.findByText('张三')).toBeVisible()
})

it('hides acts without the right, and says why a blocked one is blocked', async () => {
  answer(people)
  const { user } = show(<People />, { rights: ['clientUser:disable'] })
  const row = (await screen.findByText('李四')).closest('tr') as HTMLElement
  expect(screen.queryByRole('button', { name: '编辑' })).toBeNull()
  expect(screen.queryByRole('button', { name: '导出' })).toBeNull()
  const button = within(row).getByRole('button', { name: '禁用' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  await user.hover(button)
  await waitFor(() => expect(button).toHaveAccessibleDescription('已经禁用'))
  await user.click(button)
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('asks before it destroys, names what it hits, and acts once', async () => {
  answer(people)
  let finish = (_: unknown) => {}
  disable.mockReturnValue(new Promise((resolve) => (finish = resolve)))
  const { user } = show(<People />)
  const row = (await screen.findByText('张三')).closest('tr') as HTMLElement
  await user.click(within(row).getByRole('button', { name: '禁用' }))
  const dialog = await screen.findByRole('dialog')
  expect(dialog).toHaveTextContent('禁用后不能登录')
  expect(dialog).toHaveTextContent('张三')
  expect(disable).not.toHaveBeenCalled()
  const confirm = within(dialog).getByRole('button', { name: /禁用/ })
  await user.dblClick(confirm)
  finish({ changed: 1 })
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(disable).toHaveBeenCalledTimes(1)
})

it('acts on some ids, or on everything that the filter matches', async () => {
  answer(people, 1234)
  const { user } = show(<People />, { at: '/?status=1&sort=name' })
  await user.click(await screen.findByRole('checkbox', { name: '选择本页全部' }))
  await user.click(screen.getByRole('button', { name: '批量禁用' }))
  const first = await screen.findByRole('dialog')
  expect(first).toHaveTextContent('将影响 2 项：张三、李四')
  await user.click(within(first).getByRole('button', { name: '批量禁用' }))
  await waitFor(() => expect(disable).toHaveBeenCalledWith({ ids: [1, 2] }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

  await user.click(await screen.findByRole('checkbox', { name: '选择本页全部' }))
  await user.click(screen.getByRole('button', { name: '选择筛选匹配的全部 1,234 项' }))
  await user.click(screen.getByRole('button', { name: '批量禁用' }))
  const second = await screen.findByRole('dialog')
  expect(second).toHaveTextContent('将影响筛选匹配的全部 1,234 项')
  await user.click(within(second).getByRole('button', { name: '批量禁用' }))
  await waitFor(() => expect(disable).toHaveBeenLastCalledWith({ filter: { status: 1 } }))
})

it('drops the selection when the filter asks another question', async () => {
  answer(people)
  const { user } = show(<People />)
  await user.click(await screen.findByRole('checkbox', { name: '选择 张三' }))
  expect(screen.getByText('已选 1 项')).toBeVisible()
  await user.type(screen.getByRole('searchbox', { name: '关键字' }), 'x{Enter}')
  await waitFor(() => expect(screen.queryByText('已选 1 项')).toBeNull())
})

it('exports what the filter matches as a file', async () => {
  answer(people)
  const said: string[] = []
  connectNotices(({ title }) => said.push(title))
  let asked = ''
  server.use(
    http.get('*/api/user/v1/designjet/client_info/excel', ({ request }) => {
      asked = new URL(request.url).search
      return new HttpResponse('a,b', {
        headers: {
          'content-type': 'text/csv',
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent('用户信息.csv')}`,
        },
      })
    }),
  )
  const { user } = show(<People />, { at: '/?status=2&page=4' })
  await user.click(await screen.findByRole('button', { name: /导出/ }))
  await user.click(await screen.findByText('导出为 CSV'))
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.objectContaining({ name: '用户信息.csv' })))
  expect(asked).toBe('?status=2&format=csv')
  expect(said).toContain('导出成功!')
})

it('follows a large export as a task', async () => {
  answer(people)
  const task = {
    id: 't1',
    kind: 'export',
    title: '导出用户',
    state: 'running',
    progress: { done: 5, total: 10 },
    message: null,
    createdBy: 'admin',
    createdAt: '2026-11-20T00:00:00Z',
    startedAt: null,
    finishedAt: null,
    result: null,
    canCancel: true,
    canRetry: false,
  }
  server.use(
    http.get('*/api/user/v1/designjet/client_info/excel', () => good({ taskId: 't1' })),
    http.get('*/api/task/v1/tasks/t1', () => good(task)),
  )
  const { user } = show(<People />)
  await user.click(await screen.findByRole('button', { name: /导出/ }))
  await user.click(await screen.findByText('导出为 XLSX'))
  expect(await screen.findByText('导出用户')).toBeVisible()
  expect(screen.getByText('5 / 10')).toBeVisible()
  expect(screen.getByRole('button', { name: '取消任务' })).toBeEnabled()
})

it('remembers which columns a person wants', async () => {
  answer(people)
  const { user } = show(<People />)
  expect(await screen.findByText('张三')).toBeVisible()
  expect(screen.queryByRole('columnheader', { name: '邮箱' })).toBeNull()
  await user.click(screen.getByRole('button', { name: '列' }))
  await user.click(await screen.findByRole('checkbox', { name: '邮箱' }))
  expect(await screen.findByRole('columnheader', { name: '邮箱' })).toBeVisible()
  expect(screen.getByRole('checkbox', { name: '姓名' })).toBeDisabled()
  // A key may lead into a part of the row.
  expect(screen.getByRole('columnheader', { name: '总数' })).toBeVisible()
  await user.click(screen.getByRole('checkbox', { name: '总数' }))
  expect(screen.queryByRole('columnheader', { name: '总数' })).toBeNull()
})

it('keeps a line for the selection, which tells the result while there is none', async () => {
  answer(people, 1234)
  const { user } = show(<People />, { at: '/?sort=-name' })
  const box = await screen.findByRole('checkbox', { name: '选择 张三' })
  const line = document.querySelector('.kit-result')
  expect(line).toHaveTextContent(/^共 1,234 条按姓名降序\d\d:\d\d:\d\d 更新$/)
  await user.click(box)
  expect(document.querySelector('.kit-result')).toBeNull()
  expect(document.querySelector('.kit-selection')).toBeVisible()
})

it('shows where rows will be while the first ones load', async () => {
  answer(people)
  show(<People />)
  await waitFor(() => expect(document.querySelector('.sky-bones')).not.toBeNull())
  expect(await screen.findByText('张三')).toBeVisible()
  expect(document.querySelector('.sky-bones')).toBeNull()
})

it('has rows of the height that a person wants', async () => {
  answer(people)
  const { user } = show(<People />)
  await user.click(await screen.findByRole('button', { name: '紧凑' }))
  expect(screen.getByRole('button', { name: '紧凑' })).toHaveAttribute('aria-pressed', 'true')
  expect(screen.getByRole('table', { name: '名单' }).style.getPropertyValue('--sky-row')).toBe('30px')
  await user.click(screen.getByRole('button', { name: '标准' }))
})

it('walks, selects, opens and searches by key', async () => {
  // jsdom lays nothing out and lacks this; here the list is always in view.
  Object.assign(HTMLElement.prototype, { checkVisibility: () => true })
  answer(people)
  const { user, router } = show(<People />)
  const second = (await screen.findByText('李四')).closest('tr')
  await user.keyboard('jj')
  expect(second).toHaveFocus()
  await user.keyboard('x')
  expect(screen.getByRole('checkbox', { name: '选择 李四' })).toBeChecked()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(router.state.location.search).toBe('?detail=2'))
  await user.keyboard('/jk')
  expect(screen.getByRole('searchbox', { name: '关键字' })).toHaveValue('jk')
})

/** A list whose first column has nothing of a detail. */
function Coded() {
  const list = useList('clientUserPage', filter)
  return (
    <ListPage
      messages={messages}
      list={list}
      columns={[c.choice('status', status), c.text('email')]}
      detail={(id) => `详情 ${id}`}
    />
  )
}

it('leads to the detail from whichever column stands first', async () => {
  answer(people)
  const { user, router } = show(<Coded />)
  await user.click(await screen.findByRole('link', { name: '正常' }))
  await waitFor(() => expect(router.state.location.search).toBe('?detail=1'))
  expect(screen.queryByRole('link', { name: 'a@b.c' })).toBeNull()
  await user.click(screen.getByRole('button', { name: '列' }))
  await user.click(await screen.findByRole('checkbox', { name: '状态' }))
  expect(await screen.findByRole('link', { name: 'a@b.c' })).toBeVisible()
})

it('leads from an empty list to where its rows come from', async () => {
  answer([])
  show(<People start={{ to: '/elsewhere', label: '去那里', need: 'device:list' }} />)
  expect(await screen.findByRole('link', { name: '去那里' })).toHaveAttribute('href', '/elsewhere')
})

it('looks again where nothing else is allowed', async () => {
  const asked = answer([])
  const acts = [action('新建', { need: 'clientUser:create', run: vi.fn() })]
  const start = { to: '/elsewhere', label: '去那里', need: 'device:list' } as const
  const { user } = show(<People pageActions={acts} start={start} />, { rights: ['clientUser:list'] })
  const empty = (await screen.findByText('还没有人')).parentElement as HTMLElement
  expect(screen.queryByRole('button', { name: '新建' })).toBeNull()
  expect(screen.queryByRole('link', { name: '去那里' })).toBeNull()
  const before = asked.length
  await user.click(within(empty).getByRole('button', { name: /刷\s?新/ }))
  await waitFor(() => expect(asked.length).toBeGreaterThan(before))
})
