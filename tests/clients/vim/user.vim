" What tests do with Vim as a person would. Sourced after the vimrc of the page.

let s:seconds = 30

function! UserPlay() abort
  try
    let l:played = {'result': UserScript()}
  catch
    let l:played = {'failure': v:exception . ' at ' . v:throwpoint}
  endtry
  call writefile([json_encode(l:played)], $RESULT)
  qall!
endfunction

" The first value of a function that is not empty.
function! UserAwait(what, Value) abort
  let l:start = reltime()
  while reltimefloat(reltime(l:start)) < s:seconds
    let l:value = a:Value()
    if !empty(l:value)
      return l:value
    endif
    sleep 20m
  endwhile
  throw printf('waited %d s in vain for %s; the screen says %s', s:seconds, a:what, execute('messages'))
endfunction

function! UserGoTo(text) abort
  call cursor(1, 1)
  if !search('\V\C' . escape(a:text, '\'), 'c')
    throw 'no ' . a:text . ' in the file'
  endif
endfunction

function! s:FloatText() abort
  return join(map(popup_list(), {_, popup -> join(getbufline(winbufnr(popup), 1, '$'), "\n")}), "\n")
endfunction

" The text of the hover at the cursor, once it holds what is waited for.
function! UserHover(pattern) abort
  call popup_clear()
  ALEHover
  call UserAwait('a hover with ' . a:pattern, {-> s:FloatText() =~# a:pattern})
  return s:FloatText()
endfunction

" What ALE has put into the preview window.
function! UserPreview() abort
  let l:previews = filter(range(1, winnr('$')), {_, number -> getwinvar(number, '&previewwindow')})
  return empty(l:previews) ? '' : join(getbufline(winbufnr(l:previews[0]), 1, '$'), "\n")
endfunction

" How many servers ALE has. One that has ended counts until its channel is closed: only then does ALE let go of
" it, and takes with it the next server of the same root, if that has been started in between.
function! UserServers() abort
  let l:ours = filter(job_info(), {_, job -> string(job_info(job).cmd) =~# 'prior-art-lsp'})
  return len(filter(l:ours, {_, job -> job_status(job) ==# 'run' || ch_status(job_getchannel(job)) !=# 'closed'}))
endfunction

" Ask with :PriorArt and wait for the answer.
function! UserTitleOfAnswer(query) abort
  call setqflist([], 'r', {'title': ''})
  execute 'PriorArt' a:query
  return UserAwait('an answer', {-> getqflist({'title': 1}).title})
endfunction

" Choose the code action whose title matches from the list that a person is shown.
function! UserChoose(pattern) abort
  let s:titles = []
  call ale#codefix#Execute(0, {_, items -> extend(s:titles, map(copy(items), {_, item -> item[1].title}))})
  call UserAwait('code actions', {-> s:titles})
  let l:number = match(s:titles, a:pattern) + 1
  if l:number == 0
    throw printf('no code action %s among %s', a:pattern, s:titles)
  endif
  call feedkeys(l:number . "\<CR>", 't')
  ALECodeAction
endfunction

function! UserLines() abort
  return getline(1, '$')
endfunction

autocmd VimEnter * call feedkeys(":call UserPlay()\<CR>", 't')
