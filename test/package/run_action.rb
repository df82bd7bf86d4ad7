# SPDX-License-Identifier: MIT
# run_action.rb DIRECTORY WORK NAME=VALUE...: does what a runner does with the composite action in the directory: takes
# its steps with these inputs, in the current directory, with files for PATH, outputs and the summary below WORK, and SERVER
# in GitHub's place. Prints the outputs as the last lines, and ends with the status of the step that failed.
require "yaml"

directory, work, *given = ARGV
action = YAML.load_file(File.join(directory, "action.yml"))
inputs = action.fetch("inputs").transform_values { |input| input["default"] }
given.each do |pair|
  name, value = pair.split("=", 2)
  abort "run_action.rb: no input #{name}" unless inputs.key?(name)
  inputs[name] = value
end
action["inputs"].each { |name, input| abort "run_action.rb: input #{name} is missing" if input["required"] && !inputs[name] }

outputs = {}
known = { "github.action_repository" => "owner/twinrun" }
inputs.each { |name, value| known["inputs.#{name}"] = value }
expand = lambda do |text|
  text.gsub(/\$\{\{ *(.*?) *\}\}/) do
    name = Regexp.last_match(1)
    name.match(/\Asteps\.(\w+)\.outputs\.(\w+)\z/) { |m| outputs.fetch([m[1], m[2]], "") } || known.fetch(name)
  end
end

files = %w[GITHUB_PATH GITHUB_OUTPUT GITHUB_STEP_SUMMARY].to_h { |name| [name, File.join(work, name)] }
path = ENV.fetch("PATH")
status = 0
action.fetch("runs").fetch("steps").each do |step|
  abort "run_action.rb: a step names an expression in its script" if step["run"].include?("${{")
  abort "run_action.rb: a step has no shell" unless step["shell"] == "bash"
  %w[GITHUB_PATH GITHUB_OUTPUT].each { |name| File.write(files[name], "") }
  env = (step["env"] || {}).transform_values(&expand)
  env.merge!(files, "PATH" => path, "GITHUB_ACTION_PATH" => directory, "RUNNER_TEMP" => work,
                    "GITHUB_SERVER_URL" => ENV.fetch("SERVER"))
  system(env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
  status = $?.exitstatus
  File.readlines(files["GITHUB_PATH"], chomp: true).each { |line| path = "#{line}:#{path}" }
  File.readlines(files["GITHUB_OUTPUT"], chomp: true).each do |line|
    name, value = line.split("=", 2)
    outputs[[step["id"], name]] = value
  end
  break if status != 0
end
action.fetch("outputs").each { |name, output| puts "#{name}=#{expand.call(output["value"])}" }
exit status
