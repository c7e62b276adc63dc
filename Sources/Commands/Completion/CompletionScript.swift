import ArgumentParser

/// The completion script of a shell: the script that ArgumentParser generates, with two additions.
///
/// One completes arguments that can be a path as well as the name of an app or sensor pack. The other joins
/// words that bash breaks at `:` and `=`; without it, the script would see `sensor:cpu` as three arguments.
enum CompletionScript {
    /// The first argument with which the script calls the program to get the completions of a word.
    static let request = "---completion"

    private static let option = "--generate-completion-script"

    /// What the script passes to complete those arguments that can also be paths.
    private static let paths = ["run", "install", "trial", "sensors install"]
        .map { "\(request) \($0) -- positional@0" }

    /// The shell whose script a command line requests; `nil` if it requests none.
    static func shell(requestedBy arguments: [String]) -> CompletionShell? {
        if let index = arguments.firstIndex(of: option) {
            let next = arguments.dropFirst(index + 1).first
            return next.map(CompletionShell.init(rawValue:)) ?? .autodetected()
        }
        let joined = arguments.first { $0.hasPrefix("\(option)=") }
        return joined.flatMap { CompletionShell(rawValue: String($0.dropFirst(option.count + 1))) }
    }

    /// Makes the additions to the script of a shell.
    static func adapted(_ script: String, to shell: CompletionShell) -> String {
        switch shell {
        case .bash: bash(script)
        case .zsh: zsh(script)
        case .fish: fish(script)
        default: script
        }
    }

    private static func bash(_ script: String) -> String {
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            if line.hasPrefix("complete ") {
                return [
                    joiningWords,
                    String(line).replacing("-F _nervous ", with: "-F _nervous_joined "),
                ]
            }
            guard let start = line.firstRange(of: "__nervous_add_completions -W"),
                paths.contains(where: line.contains)
            else { return [String(line)] }
            let indent = String(line[..<start.lowerBound])
            return [String(line), indent + "__nervous_add_completions -f"]
        }.joined(separator: "\n")
    }

    private static func zsh(_ script: String) -> String {
        let end = #"$(__nervous_cursor_index_in_current_word)"}"#
        return paths.reduce(script) { script, path in
            let call = #"\#(path) "${current_word_index}" ""# + end
            return script.replacing(call, with: call.dropLast() + "; _files}")
        }
    }

    private static func fish(_ script: String) -> String {
        paths.reduce(script) { script, path in
            let call = "'(__nervous_custom_completion \(path) "
            return script.replacing("-fka \(call)", with: "-Fka \(call)")
        }
    }

    /// Joins the parts into which bash breaks a word, and removes from the completions the parts that are
    /// already on the command line.
    private static let joiningWords = #"""
        _nervous_joined() {
            local -a words=()
            local -i i position=0 start=0 current=0
            local piece last='' is_joined=false
            for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
                piece="${COMP_WORDS[i]}"
                local -i before=position
                while [[ "${COMP_LINE:position:1}" == [[:space:]] ]]; do
                    position+=1
                done
                if [[ i -gt 0 && position -eq before && ("${piece}" == [:=@]* || "${last}" == *[:=@]) ]]; then
                    words[${#words[@]} - 1]+="${piece}"
                    is_joined=true
                else
                    words+=("${piece}")
                    [[ i -le COMP_CWORD ]] && start=position
                fi
                [[ i -eq COMP_CWORD ]] && current=$((${#words[@]} - 1))
                position+=${#piece}
                last="${piece}"
            done

            local whole="${2}" part=''
            if "${is_joined}"; then
                local -a COMP_WORDS=("${words[@]}")
                local -i COMP_CWORD=current
                whole="${COMP_LINE:start:COMP_POINT-start}"
            fi
            _nervous "${1}" "${whole}" "${COMP_WORDS[COMP_CWORD - 1]}"

            # Readline replaces only what follows the last : or =, and quotes them in names of files.
            if [[ "${COMPREPLY[*]}" == *[:=@]* ]]; then
                compopt +o filenames 2>/dev/null
            fi
            if [[ "${whole}" == *[:=@]* ]]; then
                part="${whole%"${whole##*[:=@]}"}"
                COMPREPLY=("${COMPREPLY[@]#"${part}"}")
            fi
        }

        """#
}
