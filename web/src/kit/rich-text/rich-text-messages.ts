import { defineMessages } from '@/i18n/messages'

export const richTextMessages = defineMessages({
  editor: {
    bar: ['格式', 'Format'],
    bold: ['加粗', 'Bold'],
    italic: ['斜体', 'Italic'],
    underline: ['下划线', 'Underline'],
    heading: ['标题', 'Heading'],
    bullets: ['项目符号', 'Bullets'],
    numbers: ['编号', 'Numbers'],
    link: ['链接', 'Link'],
    address: ['链接地址', 'Address of the link'],
    set: ['确定', 'OK'],
    unset: ['取消链接', 'Remove the link'],
    undo: ['撤销', 'Undo'],
    redo: ['重做', 'Redo'],
  },
  tooLong: (size: string, most: string) => [
    `内容大小为 ${size}，上限为 ${most}，请删减`,
    `The text has ${size}; shorten it to at most ${most}`,
  ],
})
