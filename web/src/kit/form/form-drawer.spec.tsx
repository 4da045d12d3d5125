import { screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { phone } from '@/rules/contact'
import { required } from '@/rules/texts'
import { fakeServer, good, refused, show } from '@/testing/render'
import { TextField } from './fields'
import { FormDrawer } from './form-drawer'
import { useForm } from './use-form'
import { useSave } from './use-save'

const server = fakeServer()
const messages = defineMessages({ fields: { name: ['姓名', 'Name'], phone: ['手机号', 'Phone'] } })
const onClose = vi.fn()
beforeEach(() => onClose.mockReset())

interface Person {
  name: string
  phone?: string
}

function PersonForm({ id }: { id?: number }) {
  const form = useForm<Person>({ defaultValues: id ? { name: '张三', phone: '' } : {} })
  const save = useSave<Person>('clientUser', id, { refresh: [] })
  return (
    <FormDrawer form={form} save={save} title="用户" messages={messages} onClose={onClose}>
      <TextField name="name" rules={[required]} />
      <TextField name="phone" rules={[phone]} />
    </FormDrawer>
  )
}

const create = '*/api/user/v1/client-users'
const nameField = () => screen.findByRole('textbox', { name: /姓名/ })
const saveButton = () => screen.getByRole('button', { name: /保存/ })

it('says at each field what is wrong, and sends nothing', async () => {
  const { user } = show(<PersonForm />)
  await user.type(await screen.findByRole('textbox', { name: '手机号' }), '123')
  await user.click(saveButton())
  expect(await screen.findByText('不能为空，请填写')).toBeInTheDocument()
  expect(await screen.findByText('手机号须为 11 位数字')).toBeInTheDocument()
  expect(onClose).not.toHaveBeenCalled()
})

it.each([
  [400, 4000],
  [409, 4009],
])('puts what the server refuses with %i at its field', async (code, status) => {
  const errors = [
    { field: 'phone', code: 'taken', message: '该手机号已被占用' },
    { field: 'elsewhere', code: 'x', message: '别处的问题' },
  ]
  server.use(http.post(create, () => refused(code, status, '输入有误', errors)))
  const { user } = show(<PersonForm />)
  await user.type(await nameField(), '李四')
  await user.click(saveButton())
  expect(await screen.findByText('该手机号已被占用')).toBeInTheDocument()
  expect(screen.getByRole('textbox', { name: '手机号' })).toHaveAccessibleDescription('该手机号已被占用')
  expect(screen.getByRole('alert', { name: '' })).toHaveTextContent('别处的问题')
  expect(onClose).not.toHaveBeenCalled()
})

it('sends once, however often the button is pressed', async () => {
  let sent = 0
  let finish = () => {}
  server.use(
    http.post(create, async () => {
      sent += 1
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return good({ id: 7 })
    }),
  )
  const { user } = show(<PersonForm />)
  await user.type(await nameField(), '李四')
  await user.tripleClick(saveButton())
  await user.keyboard('{Enter}')
  await waitFor(() => expect(sent).toBe(1))
  finish()
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1))
  expect(sent).toBe(1)
})

it('changes the thing that it was given', async () => {
  let sent: unknown
  server.use(
    http.put('*/api/user/v1/client-users/7', async ({ request }) => {
      sent = await request.json()
      return good({ id: 7 })
    }),
  )
  const { user } = show(<PersonForm id={7} />)
  await user.type(await nameField(), '丰{Enter}')
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent).toEqual({ name: '张三丰', phone: '' })
})

it('closes at once when nothing was changed, and asks when something was', async () => {
  const { user } = show(<PersonForm id={7} />)
  await user.type(await nameField(), '丰')
  await user.click(screen.getByRole('button', { name: '取消' }))
  expect(await screen.findByText('有未保存的修改')).toBeInTheDocument()
  expect(onClose).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: '继续编辑' }))
  await user.type(await nameField(), '{Backspace}')
  await user.click(screen.getByRole('button', { name: '取消' }))
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('asks before another page is opened', async () => {
  const { user, router } = show(<PersonForm id={7} />)
  await user.type(await nameField(), '丰')
  void router.navigate('/elsewhere')
  await user.click(await screen.findByRole('button', { name: '放弃修改' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/elsewhere'))
})

it('says so when the server cannot be reached', async () => {
  server.use(http.post(create, () => HttpResponse.error()))
  const { user } = show(<PersonForm />)
  await user.type(await nameField(), '李四')
  await user.click(saveButton())
  expect(await screen.findByText('网络连接失败，请检查网络后重试')).toBeInTheDocument()
})
