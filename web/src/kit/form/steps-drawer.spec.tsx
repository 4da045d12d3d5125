import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { defineMessages } from '@/i18n/messages'
import { required } from '@/rules/texts'
import { show } from '@/testing/render'
import { TextField } from './fields'
import { StepsDrawer } from './steps-drawer'
import { useForm } from './use-form'

const messages = defineMessages({
  fields: { name: ['名称', 'Name'], city: ['城市', 'City'], remark: ['备注', 'Remark'] },
})
const save = vi.fn()
const onClose = vi.fn()
beforeEach(() => {
  save.mockReset().mockResolvedValue({})
  onClose.mockReset()
})

function Application() {
  const form = useForm<Record<string, string>>({ defaultValues: {} })
  return (
    <StepsDrawer
      form={form}
      save={save}
      title="申请"
      messages={messages}
      onClose={onClose}
      steps={[
        { key: 'who', title: '身份', fields: <TextField name="name" rules={[required]} /> },
        { key: 'where', title: '地址', fields: <TextField name="city" rules={[required]} /> },
        { key: 'more', title: '其他', fields: <TextField name="remark" /> },
      ]}
    />
  )
}

const field = (name: string) => screen.getByRole('textbox', { name: new RegExp(name) })
const press = (name: string | RegExp) => screen.getByRole('button', { name })
const isNow = (step: RegExp) => expect(press(step)).toHaveAttribute('aria-current', 'step')

it('leaves a step forwards when its own fields are right', async () => {
  const { user } = show(<Application />)
  await user.click(await screen.findByRole('button', { name: '下一步' }))
  expect(await screen.findByText('不能为空，请填写')).toBeInTheDocument()
  isNow(/身份/)
  expect(screen.queryByRole('button', { name: /保存/ })).toBeNull()
  await user.type(field('名称'), '张三{Enter}')
  await waitFor(() => isNow(/地址/))
  expect(screen.getByRole('region', { name: /第 2 步，共 3 步 地址/ })).toHaveFocus()
  expect(field('名称')).not.toBeVisible()
})

it('loses nothing on the way back, and sends all steps at once', async () => {
  const { user } = show(<Application />)
  await screen.findByText('申请')
  await user.type(field('名称'), '张三{Enter}')
  await waitFor(() => isNow(/地址/))
  await user.type(field('城市'), '杭州')
  await user.click(press('上一步'))
  isNow(/身份/)
  expect(field('名称')).toHaveValue('张三')
  await user.click(press(/其他/))
  await waitFor(() => isNow(/其他/))
  expect(save).not.toHaveBeenCalled()
  await user.type(field('备注'), '急')
  await user.click(press(/保存/))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(save).toHaveBeenCalledExactlyOnceWith({ name: '张三', city: '杭州', remark: '急' })
})

it('cannot jump over a step that is not right', async () => {
  const { user } = show(<Application />)
  await screen.findByText('申请')
  await user.type(field('名称'), '张三')
  await user.click(press(/其他/))
  await waitFor(() => isNow(/地址/))
  expect(await screen.findByText('不能为空，请填写')).toBeInTheDocument()
})

it('goes to the step that has what the server refused', async () => {
  const errors = [{ field: 'name', code: 'taken', message: '该名称已被占用' }]
  save.mockRejectedValue(new ApiFailure({ status: 4009, httpStatus: 409, msg: '', errors }))
  const { user } = show(<Application />)
  await screen.findByText('申请')
  await user.type(field('名称'), '张三{Enter}')
  await waitFor(() => isNow(/地址/))
  await user.type(field('城市'), '杭州{Enter}')
  await waitFor(() => isNow(/其他/))
  await user.click(press(/保存/))
  expect(await screen.findByText('该名称已被占用')).toBeInTheDocument()
  isNow(/身份/)
  await waitFor(() => expect(field('名称')).toHaveFocus())
  expect(onClose).not.toHaveBeenCalled()
})

it('asks before what was typed in any step is lost', async () => {
  const { user } = show(<Application />)
  await screen.findByText('申请')
  await user.type(field('名称'), '张三{Enter}')
  await waitFor(() => isNow(/地址/))
  await user.click(press('取消'))
  expect(await screen.findByText('有未保存的修改')).toBeInTheDocument()
  expect(onClose).not.toHaveBeenCalled()
})
