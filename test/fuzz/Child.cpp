// Child processes of the fuzzers.

#include "Child.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

namespace sectile::fuzz {

std::string inChild(const std::function<std::string()> &work) {
  int ends[2];
  if (pipe(ends) != 0) return "cannot make a pipe";
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(100);  // a program that does not end is a finding too
    std::string text = work();
    for (size_t done = 0; done < text.size();) {
      ssize_t wrote = write(ends[1], text.data() + done, text.size() - done);
      if (wrote <= 0) break;
      done += static_cast<size_t>(wrote);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "died of signal " + std::to_string(WTERMSIG(status));
  return text;
}

}  // namespace sectile::fuzz
