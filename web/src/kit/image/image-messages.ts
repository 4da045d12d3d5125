import { defineMessages } from '@/i18n/messages'

export const imageMessages = defineMessages({
  picture: ['图片', 'Picture'],
  nameless: (at: number) => [`图片 ${at}`, `Picture ${at}`],
  open: (name: string) => [`查看大图：${name}`, `View ${name} full size`],
  broken: (name: string) => [`${name} 无法显示`, `${name} cannot be shown`],
  more: (count: number) => [`+${count}`, `+${count}`],
  choose: ['上传图片', 'Upload a picture'],
  chooseMore: (count: number, most: number) => [
    `上传图片（${count}/${most}）`,
    `Upload pictures (${count} of ${most})`,
  ],
  drop: ['也可以把图片拖到这里', 'Or drop pictures here'],
  limits: (kinds: string, size: string) => [`${kinds}，不超过 ${size}`, `${kinds}, at most ${size}`],
  pixels: (sizes: string) => [`像素：${sizes}`, `Pixels: ${sizes}`],
  remove: (name: string) => [`删除 ${name}`, `Remove ${name}`],
  sending: (name: string, percent: number) => [`正在上传 ${name}：${percent}%`, `Uploading ${name}: ${percent}%`],
  still: ['图片还在上传，请稍候', 'A picture is still uploading; please wait'],
  tooMany: (most: number, left: number) => [
    `最多 ${most} 张图片，有 ${left} 张没有上传`,
    `At most ${most} pictures; not uploaded: ${left}`,
  ],
  refused: (name: string, why: string) => [`${name}：${why}`, `${name}: ${why}`],
  previous: ['上一张', 'Previous'],
  next: ['下一张', 'Next'],
  place: (at: number, count: number) => [`第 ${at} 张，共 ${count} 张`, `${at} of ${count}`],
})
