import { readFileSync } from 'node:fs'
import { expect, test } from './support/test'

/** Lists with a column that they sort by, as their screens call it, and the name of their file. */
const lists = [
  { path: '/clientUser/loggedOut', column: '申请时间', key: 'requestedAt', file: '注销账号' },
  { path: '/tasks', column: '创建时间', key: 'createdAt', file: '后台任务' },
  { path: '/user/management', column: '用户名', key: 'username', file: '用户列表' },
  { path: '/user/groups', column: '组名称', key: 'groupName', file: '权限组' },
  { path: '/user/menus', file: '菜单' },
  { path: '/device/address', column: '城市', key: 'city', file: '机房' },
  { path: '/device/address?tab=frames', column: '槽位数', key: 'slots', file: '机架' },
  { path: '/device/address?tab=hosts', column: '槽位', key: 'slot', file: '主机' },
  { path: '/device/address?tab=agents', column: '接入时间', key: 'enrolledAt', file: '机房代理' },
  { path: '/device/address?tab=tokens', column: '签发时间', key: 'createdAt', file: '接入令牌' },
  { path: '/device/networkAddress', column: '名称', key: 'name', file: '机房网络地址' },
  { path: '/device/bmcMapping', column: '更新时间', key: 'updatedAt', file: 'BMC 映射' },
  { path: '/device/discovered', column: '序列号', key: 'serial', file: '待接入设备' },
  { path: '/device/operations', column: 'ID', key: 'id', file: '批量操作' },
] as const

// In a narrow window the columns of the least importance are not there to be sorted by.
test.use({ viewport: { width: 2560, height: 900 } })

for (const { path, file, ...sorted } of lists) {
  test(`${path} goes up and down, and is exported`, async ({ page, enter }) => {
    await enter(undefined, 'zh', path)
    if ('column' in sorted) {
      const heading = page.getByRole('columnheader', { name: sorted.column, exact: true }).first()
      for (const [way, sign] of [
        ['ascending', ''],
        ['descending', '-'],
      ] as const) {
        await heading.getByRole('button').click()
        await expect(page).toHaveURL(new RegExp(`[?&]sort=${sign}${sorted.key}(&|$)`))
        // The address is there before its rows; who clicks sees the arrow first.
        await expect(heading).toHaveAttribute('aria-sort', way)
      }
    }
    const rows = page.locator('tr[data-row]')
    await expect(rows.first().or(page.locator('.sky-placeholder'))).toBeVisible()
    const shown = await rows.count()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: '导出' }).click()
    await page.getByRole('menuitem', { name: /CSV/ }).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe(`${file}.csv`)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.length, 'a heading and at least the rows of the page').toBeGreaterThan(shown)
    expect(lines[0]).toMatch(/\p{Script=Han}/u)
    await expect(page.getByText('导出成功!')).toBeVisible()
  })
}
