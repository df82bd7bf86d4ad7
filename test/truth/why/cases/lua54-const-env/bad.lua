local show = print
local settings = {}
local function load(x)
  local _ENV <const> = 0
  a = 5
  return a
end
show(pcall(load, settings))
show(settings.a)
