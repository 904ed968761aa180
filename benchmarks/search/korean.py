"""Korean sentences, composed of a built-in list of words, with particles as the language wants them."""

from __future__ import annotations

import random
from collections.abc import Callable

NOUNS = """
서버 파일 캐시 키 서명 배포 오류 로그 시계 설정 인증 토큰 세션 메모리 색인 문서 검색 질의 응답 요청 함수
변수 모듈 클래스 객체 배열 문자열 정수 경로 폴더 디렉터리 저장소 커밋 브랜치 병합 충돌 테스트 빌드 릴리스
버전 패치 의존성 라이브러리 프로세스 스레드 잠금 대기열 메시지 이벤트 알림 구독 발행 데이터베이스 테이블 열
행 트랜잭션 백업 복구 복제 분산 노드 클러스터 네트워크 포트 소켓 연결 시간 제한 재시도 지연 처리량 부하 균형
방화벽 암호 복호 해시 인증서 권한 역할 사용자 관리자 계정 비밀번호 정책 규칙 검증 예외 경고 추적 지표 그래프
대시보드 모니터링 임계값 일정 작업 계획 단위 계약 결과 상태 단계 항구 부두 선박 화물 컨테이너 창고 운송 도착
출발 조수 등대 항로 교대 당직 담당자 회의 결정 이유 원인 증상 해결책 방법 절차 순서 목록 항목 제목 내용 링크
참조 예시 설명 주석 편집기 화면 버튼 입력 출력 형식 글자 단어 문장 문단 페이지 위키 게시판 댓글 기억 사실
주장 근거 증거 확인 변경 추가 삭제 수정 조회 갱신 초기화 종료 시작 중단 재개 실행 호출 반환 매개변수 인자
기본값 환경 운영 개발 스테이징 장애 사고 보고서 분석 조사 개선 목표 성능 용량 디스크 파티션 볼륨 마운트
이미지 레지스트리 비용 예산 품질 보안 취약점 점검 목차 표 그림 용어 사전
""".split()

ADVERBS = """
먼저 나중에 다시 항상 가끔 자주 이미 아직 바로 천천히 반드시 절대 거의 완전히 조금 많이 따로 함께 직접
자동으로 수동으로 임시로 매일 매주 새벽에 오늘 어제 내일 결국 특히 그래서 그러나 하지만 따라서 만약 예를
들어 보통 대부분 일단 곧 계속 한번 여러 번 조용히 정확히
""".split()

ENDINGS = """
실패했다, 성공했다, 확인했다, 바꾸었다, 고쳤다, 멈추었다, 느려졌다, 빨라졌다, 사라졌다, 나타났다, 필요하다,
가능하다, 불가능하다, 중요하다, 위험하다, 안전하다, 충분하다, 부족하다, 만료되었다, 갱신되었다, 삭제되었다,
생성되었다, 재시작해야 한다, 기다려야 한다, 지워야 한다, 검토해야 한다, 기록되어 있다, 설정되어 있다,
비어 있다, 깨져 있다, 맞지 않는다, 보이지 않는다, 열리지 않는다, 허용하지 않는다, 동작하지 않는다,
응답하지 않는다, 반복된다, 이어진다, 시작된다, 끝난다, 줄어든다, 늘어난다, 달라진다, 돌아온다
""".split(",")

_SYLLABLES = range(0xAC00, 0xD7A4)
_FINAL_RIEUL = 8
_PARTICLES = (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"))
_PLAIN_PARTICLES = ("에서", "의", "에", "도", "만", "부터", "까지", "마다", "에는", "보다")


def sentence(rng: random.Random, draw_name: Callable[[random.Random], str]) -> list[str]:
    """The words of one sentence; now and then a name of `draw_name` stands for a noun."""
    words = []
    for _ in range(rng.randint(2, 6)):
        if rng.random() < 0.25:
            words.append(rng.choice(ADVERBS))
        noun = draw_name(rng) if rng.random() < 0.15 else rng.choice(NOUNS)
        words.append(noun + _particle(rng, noun))
    *ending, last = rng.choice(ENDINGS).split()
    return [*words, *ending, f"{last}."]


def _particle(rng: random.Random, noun: str) -> str:
    if rng.random() < 0.35:
        return rng.choice(_PLAIN_PARTICLES)
    after_consonant, after_vowel = rng.choice(_PARTICLES)
    last = ord(noun[-1])
    final = (last - _SYLLABLES.start) % 28 if last in _SYLLABLES else 0
    if final == _FINAL_RIEUL and after_vowel == "로":
        return after_vowel
    return after_consonant if final else after_vowel
