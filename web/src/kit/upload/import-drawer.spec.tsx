import { screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, refused, show } from '@/testing/render'
import { ImportDrawer } from './import-drawer'

const server = fakeServer()
const messages = defineMessages({ fields: { name: ['姓名', 'Name'], phone: ['手机号', 'Phone'] } })
const onClose = vi.fn()
const uploads = '*/api/user/v1/client-users/import/uploads'
const found = {
  importId: 'i1',
  fileName: 'users.csv',
  totalRows: 3,
  goodRows: 2,
  badRows: 1,
  bad: [{ row: 4, field: 'phone', label: '手机号', value: '12', message: '手机号须为 11 位数字' }],
  columns: ['name', 'phone'],
  left: ['星币'],
  sample: [['张三', '13800000000']],
}

/** The server takes a file in one piece, and answers this about the whole. */
function takes(answer: () => Response) {
  let begun: Record<string, unknown> = {}
  server.use(
    http.get(uploads, () => good([])),
    http.post(uploads, async ({ request }) => {
      begun = { ...((await request.json()) as object), id: 'u1', pieceLimit: 1024, expiresAt: '2026-11-22T13:00:00Z' }
      return good({ ...begun, offset: 0 })
    }),
    http.patch(`${uploads}/u1`, ({ request }) => {
      expect(request.headers.get('upload-offset')).toBe('0')
      return good({ ...begun, offset: begun.size })
    }),
    http.post(`${uploads}/u1/finish`, answer),
  )
}

async function choose(file = new File(['name\n张三'], 'users.csv', { type: 'text/csv' })) {
  const { user } = show(
    <ImportDrawer
      title="导入用户"
      messages={messages}
      calls="clientUserImport"
      columns={['name', 'phone']}
      onClose={onClose}
    />,
  )
  const input = document.querySelector('input[type=file]') as HTMLInputElement
  await user.upload(input, file)
  return user
}

it('names every bad row with its reason, imports the good ones and follows the task', async () => {
  let ran = 0
  takes(() => good(found))
  server.use(
    http.post('*/api/user/v1/client-users/import/i1/run', () => {
      ran += 1
      return good({ taskId: 't9' })
    }),
    http.get('*/api/task/v1/tasks/t9', () =>
      good({
        id: 't9',
        title: '导入用户 users.csv',
        state: 'succeeded',
        progress: { done: 2, total: 2 },
        message: '成功 2 行',
        result: null,
        canCancel: false,
        canRetry: false,
      }),
    ),
  )
  const user = await choose()
  expect(await screen.findByText('2 行可以导入，1 行有问题，将被跳过')).toBeVisible()
  const row = screen.getByRole('row', { name: /手机号须为 11 位数字/ })
  expect(row).toHaveTextContent('4')
  expect(row).toHaveTextContent('手机号12')
  expect(screen.getByText('张三')).toBeVisible()
  expect(ran).toBe(0)
  await user.click(screen.getByRole('button', { name: '导入 2 行' }))
  expect(await screen.findByText('导入用户 users.csv')).toBeVisible()
  expect(await screen.findByText('成功 2 行')).toBeVisible()
  expect(ran).toBe(1)
})

it('says which columns are not imported, and gives the bad rows and the template as files', async () => {
  const asked: string[] = []
  const file = ({ request }: { request: Request }) => {
    asked.push(new URL(request.url).pathname.split('/import').at(-1) ?? '')
    return new Response('a', { headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment' } })
  }
  takes(() => good(found))
  server.use(
    http.get('*/api/user/v1/client-users/import/template', file),
    http.get('*/api/user/v1/client-users/import/i1/bad', file),
  )
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
  const user = await choose()
  expect(await screen.findByText('不导入的列：星币')).toBeVisible()
  await user.click(screen.getByRole('button', { name: /下载问题行/ }))
  await waitFor(() => expect(asked).toEqual(['/i1/bad']))
  await user.click(screen.getByRole('button', { name: '换一个文件' }))
  await user.click(screen.getByRole('button', { name: /下载模板/ }))
  await waitFor(() => expect(asked).toEqual(['/i1/bad', '/template']))
})

it('offers nothing to import when every row is bad', async () => {
  takes(() => good({ ...found, goodRows: 0, badRows: 3, sample: [] }))
  await choose()
  expect(await screen.findByText('没有可以导入的行，请修正后重新上传')).toBeVisible()
  expect(screen.queryByRole('button', { name: /^导入/ })).toBeNull()
})

it('says why a file was refused, and takes another', async () => {
  takes(() => refused(415, 4015, '文件不是 XLSX 或 CSV'))
  await choose()
  expect(await screen.findByText('文件不是 XLSX 或 CSV')).toBeVisible()
  await waitFor(() => expect(document.querySelector('input[type=file]')).not.toBeNull())
})
